"""Numbers for the distinct values of a column, and the vocabulary of tokens that is made of them."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np

from tasks.logs.log import ABSENT


class Codes(dict):
    """Distinct values, numbered in the order of their first appearance: {value: number}."""

    def encode(self, values: Iterable[Hashable], count: int) -> np.ndarray:
        """Return the numbers of `count` values (count,) int32, `ABSENT` for None and "", which are not values."""
        number = self.setdefault
        return np.fromiter((ABSENT if v is None or v == "" else number(v, len(self)) for v in values), np.int32, count)

    def by_value(self) -> np.ndarray:
        """Return the numbers of the values (len,) in the sorted order of the values."""
        return np.array([self[value] for value in sorted(self)], np.int64)

    def rank(self) -> np.ndarray:
        """Return each number's place in the sorted order of the values (len,), which is the same for every order of the
        file's rows."""
        return np.argsort(self.by_value()).astype(np.int32)


class Vocabulary(NamedTuple):
    """The tokens of all columns of a log.

    tables: for each column the token of each number of its `Codes`. The last entry is `ABSENT`, so that the number
        `ABSENT` = -1 has the token `ABSENT`. starts and tokens: as in `ClickLog`.
    """

    tables: list[np.ndarray]
    starts: list[int]
    tokens: list[str | None]


def vocabulary_of(columns: list[Codes], in_training: list[np.ndarray]) -> Vocabulary:
    """Return the vocabulary of these columns.

    Args:
        in_training: for each column a mask of the values (len,) that have a token of their own, as they occur in
            training; the others share the column's first token, "unknown".
    """
    result = Vocabulary([], [0], [])
    for codes, has_own in zip(columns, in_training, strict=True):
        by_value, start = codes.by_value(), result.starts[-1]
        own = by_value[has_own[by_value]]
        table = np.full(len(codes) + 1, start, np.int32)
        table[own] = start + 1 + np.arange(len(own))
        table[ABSENT] = ABSENT
        values = list(codes)
        result.tokens.extend([None, *(str(values[code]) for code in own)])
        result.tables.append(table)
        result.starts.append(start + 1 + len(own))
    return result
