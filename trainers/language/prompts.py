"""Prompts of a language model: sets of demonstrations as tokens, queries behind them, and how right the answers are."""

import bisect
import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import log_softmax, logsumexp

from analysis.metrics.effect import effect
from lab.errors import ConfigError, NotFinite
from lab.language.model import History
from lab.language.scoring import Query, Scores, encode, score
from lab.language.tokens import Tokenizer, pieces
from tasks.texts import order
from tasks.texts.form import Item
from tasks.texts.settings import Answer, Tokens
from trainers.language.opened import Opened
from trainers.record import Record

SEAM = 16  # tokens: encoding texts together instead of apart adds fewer


@dataclasses.dataclass(frozen=True)
class Demonstrations:
    """A set of demonstrations.

    Args:
        items: those that are shown, in their order.
        left_out: how many more were drawn, and do not fit the model's positions.
        validation: rows to choose by, none of which was drawn.
    """

    items: list[Item]
    left_out: int
    validation: list[Item]


@dataclasses.dataclass(frozen=True)
class Asked:
    """Rows behind demonstrations.

    Args:
        tokens: of the demonstrations, as far as all rows have the same ones in front of them.
        queries: of each group of rows, with whatever else is in front of a row.
    """

    tokens: list[int]
    queries: list[list[Query]]


@dataclasses.dataclass(frozen=True)
class Answers:
    """The answers to X queries.

    right: (X,) bool. loss: (X,) cross-entropy in nats of the right answer among the query's. effect: (X,)
    1 / log2(1 + rank) of the right answer [LRGD]; among equal numbers the mean over their ranks. chosen: (X,) the place
    of the answer that was given.
    """

    right: np.ndarray
    loss: np.ndarray
    effect: np.ndarray
    chosen: np.ndarray


def demonstrations(opened: Opened, seed: int, validation: int, readings: int = 1) -> Demonstrations:
    """Return the set of demonstrations of one seed, without those that do not fit.

    Args:
        validation: how many further rows to choose by.
        readings: how often the positions go on for another reading of the demonstrations.

    Raises:
        ConfigError: a query does not fit the model's positions, or not one demonstration does.
    """
    texts, form = opened.texts, opened.texts.form
    places = order.demonstrations(texts.train, texts.name, seed, form.draw, form.examples)
    items = [texts.train[place] for place in places]
    lengths = [len(opened.tokenizer.encode(text_of(opened, items[: n + 1]), special=True)) for n in range(len(items))]
    count = len(items)
    if (positions := opened.model.arch.max_positions) is not None:
        query = longest(queries(opened, texts.test))
        if query + 1 > positions:
            raise ConfigError(f"text.path: a query has {query} tokens, and the model {positions} positions")
        count = order.fitting(lengths, min(positions - query, positions // readings))
        while count and (
            max(lengths[count - 1] + query, readings * lengths[count - 1]) > positions - SEAM
            and not fits(opened, items[:count], readings)
        ):
            count -= 1
        if items and not count:
            raise ConfigError(
                f"text.examples: one demonstration has {lengths[0]} tokens, a query up to {query}, and the model "
                f"{positions} positions" + (", half of them for a second reading" if readings > 1 else "")
            )
    others = order.others(texts.train, places, texts.name, seed, validation)
    return Demonstrations(items[:count], len(items) - count, [texts.train[place] for place in others])


def sets(
    opened: Opened, seeds: Sequence[int], validation: int, chosen: str, readings: int = 1
) -> dict[int, Demonstrations]:
    """Return {seed: its set of demonstrations}, each with rows on which something is chosen.

    Args:
        validation, readings: as `demonstrations` takes them.
        chosen: what is chosen on the validation rows, for an error.

    Raises:
        ConfigError: there are too few rows to score, to demonstrate or to choose by, or demonstrations do not fit.
    """
    if len(opened.texts.test) < 2:
        raise ConfigError(f"text.path: {len(opened.texts.test)} row to score; there must be at least two")
    result = {}
    for seed in seeds:
        result[seed] = each = demonstrations(opened, seed, validation, readings)
        if not each.items:
            raise ConfigError("text.train: there are no rows to demonstrate")
        if len(each.validation) < 2:
            raise ConfigError(f"text.train: fewer than two rows are left to choose {chosen} by")
    return result


def note_left_out(record: Record, of_seeds: Mapping[int, Demonstrations]) -> None:
    """Note in the record how many demonstrations do not fit, if any."""
    if left_out := max(each.left_out for each in of_seeds.values()):
        record.note(f"up to {left_out} demonstrations of a set do not fit the model's positions: left out")


def asked(opened: Opened, examples: Sequence[Item], *groups: Sequence[Item]) -> Asked:
    """Return the tokens of groups of rows that are asked behind the same demonstrations.

    With `text.tokens=whole` each row's tokens are those of one text: all demonstrations, the row, and an answer. Where
    they are the same for all rows, from the first on and as far as they end in the demonstrations, they are read once.

    Args:
        examples: the demonstrations; without any, a row begins as a text does.
    """
    form = opened.texts.form
    free = form.free(opened.texts.words) if form.answer is Answer.calibrated else []
    rows = (*free, *(item for group in groups for item in group))
    tokens, queries = _encoded(opened.tokenizer, form.tokens, text_of(opened, examples), rows)
    each = (dataclasses.replace(query, free=queries[: len(free)]) for query in queries[len(free) :])
    return Asked(tokens, [[*itertools.islice(each, len(group))] for group in groups])


@functools.lru_cache(maxsize=4)  # the same rows are asked after every iteration
def _encoded(tokenizer: Tokenizer, tokens: Tokens, text: str, rows: tuple[Item, ...]) -> tuple[list[int], list[Query]]:
    start = tokenizer.encode("", special=True)
    apart = tokenizer.encode(text) if tokens is Tokens.apart else []
    each = [pieces(tokenizer, row.prompt, row.answers, "" if tokens is Tokens.apart else text) for row in rows]
    fronts = [[*start, *apart, *row.context] for row in each]
    ends = zip(min(fronts, default=[]), max(fronts, default=[]), strict=False)  # what these share, all share
    shared = [token for token, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], ends)] if text else []
    left = [front[len(shared) :] for front in fronts]
    return shared, [Query([*front, *row.prompt], row.answers) for front, row in zip(left, each, strict=True)]


def text_of(opened: Opened, examples: Sequence[Item]) -> str:
    """Return the text of demonstrations, with the separator behind each."""
    return "".join(item.shown + opened.separator for item in examples)


def bounds_of(opened: Opened, examples: Sequence[Item], row: Item) -> list[tuple[int, int]]:
    """Return the place of the first token of each demonstration among those of all of them, in front of a row, and of
    the one behind its last, without what follows it."""
    query_text = row.prompt if opened.texts.form.tokens is Tokens.whole else ""
    _, ends = opened.tokenizer.located(text_of(opened, examples) + query_text)
    start, first, bounds = len(opened.tokenizer.encode("", special=True)), 0, []
    for item in examples:
        end = first + len(item.shown)
        bounds.append((start + bisect.bisect_right(ends, first), start + bisect.bisect_right(ends, end)))
        first = end + len(opened.separator)
    return bounds


def queries(opened: Opened, items: Sequence[Item]) -> list[Query]:
    """Return the tokens of rows that nothing is in front of."""
    return asked(opened, (), items).queries[0]


def longest(encoded: Sequence[Query]) -> int:
    """Return the number of tokens of the longest query with an answer."""
    return max(len(query.prompt) + max(len(answer) for answer in query.answers) for query in encoded)


def fits(opened: Opened, examples: Sequence[Item], readings: int = 1) -> bool:
    """Return whether demonstrations, read so often, and each test row behind them fit the model's positions."""
    each, positions = asked(opened, examples, opened.texts.test), opened.model.arch.max_positions
    count = len(each.tokens)
    return positions is None or max(readings * count, count + longest(each.queries[0])) <= positions


def answers(
    opened: Opened,
    items: Sequence[Item],
    encoded: Sequence[Query],
    history: History | None,
    batch: int,
    may_diverge: bool = False,
) -> Answers:
    """Return how right the model is on some rows, behind a history or without one.

    Args:
        encoded: the rows' tokens.
        batch: rows that it reads at once.
        may_diverge: whether losses that are no finite numbers are for the caller to see.

    Raises:
        NotFinite: the loss of a row is NaN or infinite, and so its answer is none.
    """
    scores = (score(opened.model, queries, history, batch) for queries in (encoded, encoded[0].free))
    result = judged(next(scores), items, opened.texts.form.answer, next(scores))
    if not may_diverge:
        require_finite(opened, items, result)
    return result


def answers_behind(opened: Opened, examples: Sequence[Item], batch: int) -> tuple[Answers, int]:
    """Return the answers to the test rows behind demonstrations, and the number of tokens of these. Raises as
    `answers`."""
    encoded = asked(opened, examples, opened.texts.test)
    history = encode(opened.model, encoded.tokens) if examples else None
    return answers(opened, opened.texts.test, encoded.queries[0], history, batch), len(encoded.tokens)


def require_finite(opened: Opened, items: Sequence[Item], answered: Answers) -> None:
    """Refuse (NotFinite) answers to rows whose loss is NaN or infinite; the message names the first row."""
    bad = np.flatnonzero(~np.isfinite(answered.loss))
    if bad.size:
        raise NotFinite(
            f"{opened.folder}: the model's log probabilities are NaN or infinite in {bad.size} of {len(items)} rows of "
            f"{opened.texts.name}, first in row {items[bad[0]].row + 1}: its weights are damaged, or too large for "
            "lm.dtype"
        )


def judged(scores: Scores, items: Sequence[Item], number: Answer, free: Scores | None = None) -> Answers:
    """Return the answers from the log-probabilities of all of them.

    Args:
        number: that by which answers are compared. The loss is that of the softmax of these numbers.
        free: those of inputs without content. Their mean probability of an answer, among all answers, divides a
            row's where these are calibrated (Zhao et al. 2021, section 5).
    """
    values_XxC = scores.means if number is Answer.mean else scores.sums
    if number is Answer.calibrated:
        assert free is not None
        values_XxC = values_XxC - logsumexp(log_softmax(free.sums, axis=1), axis=0)
    right_X = np.array([item.right for item in items])
    with jax.enable_x64(True):  # numbers that differ in double precision do not tie
        effect_X = np.asarray(effect(jnp.asarray(values_XxC), jnp.asarray(right_X)))
    loss_X = logsumexp(values_XxC, axis=1) - np.take_along_axis(values_XxC, right_X[:, None], axis=1)[:, 0]
    chosen_X = np.argmax(values_XxC, axis=1)
    return Answers(chosen_X == right_X, loss_X, effect_X, chosen_X)
