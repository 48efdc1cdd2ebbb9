"""A table of numbers, into which every data set is read."""

import csv
import dataclasses
import pathlib

import numpy as np


class DataError(Exception):
    """An error in the data that the user can correct. Its message is the one line that the user sees."""


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


def read_cells(path: pathlib.Path, delimiter: str = ",") -> dict[str, list[str]]:
    """Return {column: its cells} of a text table with a header.

    Raises:
        DataError: there are no rows, two columns have one name, or a row has more or fewer cells than the header.
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, delimiter=delimiter, skipinitialspace=True)
        lines = [(reader.line_num, row) for row in reader if row]
    if len(lines) < 2:
        raise DataError(f"{path}: the file has no rows")
    header = [name.strip() for name in lines[0][1]]
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise DataError(f"{path}: two columns are called {twice[0]!r}")
    for number, row in lines:
        if len(row) != len(header):
            raise DataError(f"{path}: line {number} has {len(row)} cells, the header has {len(header)} names")
    return dict(zip(header, map(list, zip(*(row for _, row in lines[1:]), strict=True)), strict=True))


def from_cells(cells: dict[str, list[str]], target: str, leave_out: tuple[str, ...] = (), **options) -> Table:
    """Return the table of cells that are all numbers, with `options` as further fields of the `Table`."""
    names = tuple(name for name in cells if name != target and name not in leave_out)
    x = np.array([[float(cell) for cell in cells[name]] for name in names]).T
    return Table(names, x, np.array([float(cell) for cell in cells[target]]), **options)
