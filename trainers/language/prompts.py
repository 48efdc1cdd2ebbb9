"""Prompts of a language model: sets of demonstrations as tokens, queries behind them, and how right the answers are."""

import dataclasses
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import logsumexp

from analysis.metrics.effect import effect
from lab.errors import ConfigError, NotFinite
from lab.language.model import History
from lab.language.scoring import Query, Scores, score
from lab.language.tokens import pieces
from tasks.texts import order
from tasks.texts.form import Item
from tasks.texts.settings import Answer
from trainers.language.opened import Opened
from trainers.record import Record


@dataclasses.dataclass(frozen=True)
class Demonstrations:
    """A set of demonstrations.

    Args:
        items: those that are shown, in their order.
        left_out: how many more were drawn, and do not fit the model's positions.
        tokens: of all of them.
        validation: rows to choose by, none of which was drawn.
    """

    items: list[Item]
    left_out: int
    tokens: list[int]
    validation: list[Item]


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
    lengths = [len(tokens_of(opened, items[: count + 1])) for count in range(len(items))]
    count = len(items)
    if (positions := opened.model.arch.max_positions) is not None:
        query = longest(opened)
        if query + 1 > positions:
            raise ConfigError(f"text.path: a query has {query} tokens, and the model {positions} positions")
        count = order.fitting(lengths, min(positions - query, positions // readings))
        if items and not count:
            raise ConfigError(
                f"text.examples: one demonstration has {lengths[0]} tokens, a query up to {query}, and the model "
                f"{positions} positions" + (", half of them for a second reading" if readings > 1 else "")
            )
    others = order.others(texts.train, places, texts.name, seed, validation)
    tokens = tokens_of(opened, items[:count]) if count else []
    return Demonstrations(items[:count], len(items) - count, tokens, [texts.train[place] for place in others])


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


def tokens_of(opened: Opened, items: Sequence[Item]) -> list[int]:
    """Return the tokens of demonstrations, with those that the tokenizer's publishers put around a text."""
    return opened.tokenizer.encode("".join(item.shown + opened.separator for item in items), special=True)


def bounds_of(opened: Opened, items: Sequence[Item]) -> list[tuple[int, int]]:
    """Return the place of the first token of each demonstration among those of all of them, and of the one behind its
    last, without what follows it."""
    bounds, text = [], ""
    for item in items:
        first = len(opened.tokenizer.encode(text, special=True))
        text += item.shown
        bounds.append((first, len(opened.tokenizer.encode(text, special=True))))
        text += opened.separator
    return bounds


def longest(opened: Opened) -> int:
    """Return the number of tokens of the longest test query with an answer."""
    return max(
        len(query.prompt) + max(len(answer) for answer in query.answers)
        for query in queries(opened, opened.texts.test, is_first=True)
    )


def queries(opened: Opened, items: Sequence[Item], is_first: bool = False) -> list[Query]:
    """Return the tokens of queries and their answers.

    Args:
        is_first: whether nothing is in front of them, so that they begin as a text does.
    """
    start = opened.tokenizer.encode("", special=True) if is_first else []
    encoded = []
    for item in items:
        each = [pieces(opened.tokenizer, item.prompt, answer) for answer in item.answers]
        encoded.append(Query([*start, *each[0][0]], [answer for _, answer in each]))
    return encoded


def answers(
    opened: Opened, items: Sequence[Item], history: History | None, batch: int, may_diverge: bool = False
) -> Answers:
    """Return how right the model is on some rows, behind a history or without one.

    Args:
        batch: rows that it reads at once.
        may_diverge: whether losses that are no finite numbers are for the caller to see.

    Raises:
        NotFinite: the loss of a row is NaN or infinite, and so its answer is none.
    """
    scores = score(opened.model, queries(opened, items, is_first=history is None), history, batch)
    result = judged(scores, items, opened.texts.form.answer)
    bad = np.flatnonzero(~np.isfinite(result.loss))
    if bad.size and not may_diverge:
        raise NotFinite(
            f"{opened.folder}: the model's log probabilities are NaN or infinite in {bad.size} of {len(items)} rows of "
            f"{opened.texts.name}, first in row {items[bad[0]].row + 1}: its weights are damaged, or too large for "
            "lm.dtype"
        )
    return result


def judged(scores: Scores, items: Sequence[Item], number: Answer) -> Answers:
    """Return the answers from the log-probabilities of all of them.

    Args:
        number: that by which answers are compared. The loss is that of the softmax of these numbers.
    """
    values_XxC = scores.sums if number is Answer.sum else scores.means
    right_X = np.array([item.right for item in items])
    with jax.enable_x64(True):  # numbers that differ in double precision do not tie
        effect_X = np.asarray(effect(jnp.asarray(values_XxC), jnp.asarray(right_X)))
    loss_X = logsumexp(values_XxC, axis=1) - np.take_along_axis(values_XxC, right_X[:, None], axis=1)[:, 0]
    chosen_X = np.argmax(values_XxC, axis=1)
    return Answers(chosen_X == right_X, loss_X, effect_X, chosen_X)
