"""A table of numbers, into which every data set is read."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Table:
    """Inputs x (rows, columns) and targets y (rows,), float64.

    notes: remarks for a reader of the results.
    split: the sizes of the published training and test splits; None: nine tenths and one tenth of the rows.
    without_repeats: the words of a command line that leave out repeated rows; empty if there are none.
    """

    columns: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray
    notes: tuple[str, ...] = ()
    split: tuple[int, int] | None = None
    without_repeats: str = ""

    def split_sizes(self) -> tuple[int, int]:
        """Return the numbers of training and of test rows; a tenth is rounded up, as scikit-learn does."""
        tenth = -(-len(self.y) // 10)
        return self.split or (len(self.y) - tenth, tenth)

    def distinct_rows(self) -> np.ndarray:
        """Return the numbers of the rows that do not repeat an earlier row."""
        return np.sort(np.unique(np.column_stack([self.x, self.y]), axis=0, return_index=True)[1])

    def without(self, *columns: str) -> "Table":
        """Return the table without some of its input columns."""
        places = [i for i, name in enumerate(self.columns) if name not in columns]
        return dataclasses.replace(self, columns=tuple(self.columns[i] for i in places), x=self.x[:, places])
