"""Values numbered as they come, and the vocabulary that they become."""

import dataclasses
from collections.abc import Hashable, Iterable

import numpy as np

from tasks.logs.log import ABSENT


class Codes(dict):
    """Distinct values, numbered as they come."""

    def encode(self, values: Iterable[Hashable], count: int) -> np.ndarray:
        """(count,) int32; `ABSENT` for None and for an empty cell, which are not values."""
        number = self.setdefault
        return np.fromiter((ABSENT if v is None or v == "" else number(v, len(self)) for v in values), np.int32, count)

    def by_value(self) -> np.ndarray:
        """(len,) the numbers of the values, in the order of the values."""
        return np.array([self[value] for value in sorted(self)], np.int64)

    def rank(self) -> np.ndarray:
        """(len,) the place of each number's value among all, so that a log does not depend on its file's order."""
        return np.argsort(self.by_value()).astype(np.int32)


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """tables: for each column the token of each code, and in the last place, where `ABSENT` points, `ABSENT`.
    starts and tokens: as in `ClickLog`."""

    tables: tuple[np.ndarray, ...]
    starts: tuple[int, ...]
    tokens: tuple[str | None, ...]

    @classmethod
    def of(cls, columns: list[Codes], known: list[np.ndarray]) -> "Vocabulary":
        """
        Args:
            known: for each column whether each of its values has a token of its own; the others share the first.
        """
        tables, starts, tokens = [], [0], []
        for codes, has_own in zip(columns, known, strict=True):
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
