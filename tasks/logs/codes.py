"""Numbers for the distinct values of a column, and the vocabulary of tokens that is made of them."""

import dataclasses
from collections.abc import Hashable, Iterable

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


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """The tokens of all columns of a log.

    tables: for each column the token of each number of its `Codes`. The last entry is `ABSENT`, so that the number
        `ABSENT` = -1 has the token `ABSENT`. starts and tokens: as in `ClickLog`.
    """

    tables: tuple[np.ndarray, ...]
    starts: tuple[int, ...]
    tokens: tuple[str | None, ...]

    @classmethod
    def of(cls, columns: list[Codes], in_training: list[np.ndarray]) -> "Vocabulary":
        """Return the vocabulary of these columns.

        Args:
            in_training: for each column a mask of the values (len,) that have a token of their own, as they occur in
                training; the others share the column's first token, "unknown".
        """
        tables, starts, tokens = [], [0], []
        for codes, has_own in zip(columns, in_training, strict=True):
            by_value = codes.by_value()
            own = by_value[has_own[by_value]]
            table = np.full(len(codes) + 1, starts[-1], np.int32)
            table[own] = starts[-1] + 1 + np.arange(len(own))
            table[ABSENT] = ABSENT
            values = list(codes)
            tokens += [None, *(str(values[code]) for code in own)]
            tables.append(table)
            starts.append(starts[-1] + 1 + len(own))
        return cls(tuple(tables), tuple(starts), tuple(tokens))
