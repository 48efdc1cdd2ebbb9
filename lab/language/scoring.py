"""Log-probabilities of answers to many queries, behind demonstrations that are read once and shared by all queries.

A row is a sequence that the model reads: a query's prompt and all tokens of an answer but its last one. Answers that
differ in their last token alone, such as words of one token, share a row. Rows are ordered by length, so that those of
a batch have about the same, and are padded on the right, which needs no mask: a token sees none behind it.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from lab.errors import ConfigError
from lab.language.model import History, LanguageModel

MULTIPLE = 16  # lengths of rows are padded to multiples of it: one program is compiled for each
Tokens = Sequence[int] | np.ndarray
T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Query:
    """The tokens of a prompt, and those of each answer that may follow it.

    free: queries without content behind the same demonstrations, by which the answers' numbers may be calibrated.
    """

    prompt: Tokens
    answers: Sequence[Tokens]
    free: Sequence["Query"] = ()


@dataclasses.dataclass(frozen=True)
class Scores:
    """Log-probabilities of the answers of X queries.

    sums: (X, C), sum over the answer's tokens; -inf where a query has fewer answers.
    counts: (X, C), tokens of each answer; 1 where a query has fewer.
    """

    sums: np.ndarray
    counts: np.ndarray

    def __getitem__(self, queries: slice) -> "Scores":
        return Scores(self.sums[queries], self.counts[queries])

    @property
    def means(self) -> np.ndarray:
        """Return the mean log-probability of a token of each answer, (X, C)."""
        return self.sums / self.counts


@dataclasses.dataclass
class _Row:
    """A sequence, the places that are read off it, and the entries: (place, token, query, answer)."""

    tokens: list[int]
    places: list[int]
    entries: list[tuple[int, int, int, int]]


def encode(model: LanguageModel, tokens: Tokens) -> History:
    """Return keys and values of some tokens, which others can have in front of them.

    Raises:
        ConfigError: there are no tokens, or more than the model has positions.
    """
    if not len(tokens):
        raise ConfigError("there are no demonstrations")
    model.arch.needs(len(tokens), "the demonstrations")
    return read(model, padded_history(tokens), len(tokens))


def score(
    model: LanguageModel,
    queries: Sequence[Query],
    history: History | None = None,
    batch: int = 16,
    multiple: int = MULTIPLE,
) -> Scores:
    """Return the log-probabilities of the answers of all queries.

    Args:
        history: keys and values of the demonstrations, which every query has in front of it; None: nothing.
        batch: rows that the model reads at once.
        multiple: to which lengths of rows are padded; a smaller one is faster for short rows, with more programs.

    Raises:
        ConfigError: a query is longer than the model's positions; or has an empty prompt or answer.
    """
    for x, query in enumerate(queries):
        if not len(query.prompt) or not all(len(answer) for answer in query.answers):
            raise ConfigError(f"query {x}: a prompt and each of its answers must have at least one token")
    rows = [row for x, query in enumerate(queries) for row in _rows(x, query)]
    past = 0 if history is None else int(history.length)
    model.arch.needs(past + max((len(row.tokens) for row in rows), default=0), "a query behind its demonstrations")
    width = max((len(query.answers) for query in queries), default=0)
    sums, counts = np.full((len(queries), width), -np.inf), np.ones((len(queries), width), int)
    for x, query in enumerate(queries):
        sums[x, : len(query.answers)] = 0.0
        counts[x, : len(query.answers)] = [len(answer) for answer in query.answers]
    rows.sort(key=lambda row: -len(row.tokens))
    lists = [row.places for row in rows], [row.entries for row in rows]
    places, entries = (_rounded(max(map(len, each), default=0)) for each in lists)
    for chunk, full in in_batches(rows, batch):
        tokens_BxT = padded([row.tokens for row in full], multiple=multiple)
        places_BxP = padded([row.places for row in full], places)
        entries_BxEx2 = np.stack([padded([[e[i] for e in row.entries] for row in full], entries) for i in (0, 1)], -1)
        log_p_BxE = np.asarray(_read_off(model, history, tokens_BxT, places_BxP, entries_BxEx2))
        for row, log_p_E in zip(chunk, log_p_BxE, strict=False):
            for (_, _, query, answer), log_p in zip(row.entries, log_p_E, strict=False):
                sums[query, answer] += log_p
    return Scores(sums, counts)


def in_batches(items: Sequence[T], batch: int) -> Iterator[tuple[list[T], list[T]]]:
    """Yield so many items at a time, and the same filled up with the last one, so that one program serves all."""
    for first in range(0, len(items), batch):
        chunk = [*items[first : first + batch]]
        yield chunk, chunk + chunk[-1:] * (batch - len(chunk))


def padded(lists: Sequence[Tokens], length: int | None = None, multiple: int = MULTIPLE) -> np.ndarray:
    """Return lists of numbers as one array, with zeros behind the shorter ones, of this length or the next multiple."""
    longest = max(len(each) for each in lists)
    table = np.zeros((len(lists), length or -(-longest // multiple) * multiple), np.int32)
    for row, each in zip(table, lists, strict=True):
        row[: len(each)] = each
    return table


def padded_history(tokens: Tokens) -> np.ndarray:
    """Return the tokens of a history with zeros behind them, up to the next power of two or three quarters of one.

    So few programs serve histories of all lengths, each of which would take seconds to compile, and megabytes.
    """
    power = 2 ** max(len(tokens) - 1, MULTIPLE).bit_length()
    return padded([tokens], power * 3 // 4 if len(tokens) <= power * 3 // 4 else power)[0]


@jax.jit
def read(model: LanguageModel, tokens_T: jax.Array, length: jax.Array | int) -> History:
    """Return the keys and values of a plain reading of padded tokens, in float32 at least."""
    visibility = model.visibility(len(tokens_T))
    layers = model.forward(model.embed(tokens_T, visibility.positions), visibility, None, ("keys", "values"))
    keys, values = (exact(layers[name]) for name in ("keys", "values"))
    return History(keys, values, jnp.asarray(length, jnp.int32))


def exact(array: jax.Array) -> jax.Array:
    """Return an array in float32, or as it is where its type is wider."""
    return array.astype(jnp.promote_types(array.dtype, jnp.float32))


@jax.jit
def _read_off(
    model: LanguageModel,
    history: History | None,
    tokens_BxT: jax.Array,
    places_BxP: jax.Array,
    entries_BxEx2: jax.Array,
) -> jax.Array:
    """Return the log-probabilities (B, E) of the entries (place, token) of each row."""

    def row(tokens_T, places_P, entries_Ex2):
        visibility = model.visibility(len(tokens_T), history)
        past = None if history is None else (history.keys, history.values)
        last_TxD = model.forward(model.embed(tokens_T, visibility.positions), visibility, past, ())["last"]
        log_p_PxV = jax.nn.log_softmax(model.unembed(last_TxD[places_P]), axis=-1)
        return log_p_PxV[entries_Ex2[:, 0], entries_Ex2[:, 1]]

    return jax.vmap(row)(tokens_BxT, places_BxP, entries_BxEx2)


def _rows(number: int, query: Query) -> list[_Row]:
    """Return the rows of a query, one for each group of answers that have all tokens but the last in common."""
    rows: dict[tuple[int, ...], _Row] = {}
    first = len(query.prompt) - 1  # the place whose next token is an answer's first
    for c, answer in enumerate(query.answers):
        beginning = tuple(answer[:-1])
        row = rows.get(beginning)
        if row is None:
            row = rows[beginning] = _Row([*query.prompt, *beginning], [first + i for i in range(len(answer))], [])
        row.entries += [(i, token, number, c) for i, token in enumerate(answer)]
    return [*rows.values()]


def _rounded(count: int) -> int:
    return count if count <= 1 else -(-count // 4) * 4
