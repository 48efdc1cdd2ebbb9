"""The tables of a run or sweep joined with the rows of further seeds, by which `python run.py decide=DIR` decides."""

import pathlib

from analysis.tables.columns import Seeds
from lab.runs.directory import RunDirectory

DECIDED = "decided"  # the table of claims that were open, with outcome, number and confidence of each look
FOLDER = "further"  # the folder with the rows of further seeds, in tables of the same names


class Further(RunDirectory):
    """A directory whose tables have the rows of further seeds, if any, after its own rows.

    Args:
        last_seed: rows of later seeds are left out: they were added for other claims.
    """

    def __init__(self, path: pathlib.Path, last_seed: float):
        super().__init__(path)
        self.last_seed = last_seed

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        rows = self._more.read_table(name) if self._more.has_table(name) else []
        own = super().read_table(name) if super().has_table(name) or not rows else []
        return own + [row for row in rows if float(row[Seeds.SEED]) <= self.last_seed]

    def has_table(self, name: str) -> bool:
        return super().has_table(name) or self._more.has_table(name)

    @property
    def _more(self) -> RunDirectory:
        return RunDirectory(self.path / FOLDER)


def looks(directory: RunDirectory) -> dict[str, dict[str, float | str]]:
    """Return {statement: row of decided.csv} of the claims with further seeds; {} if there are none."""
    if not directory.has_table(DECIDED) or not (directory.path / FOLDER).is_dir():
        return {}
    return {str(row["claim"]): row for row in directory.read_table(DECIDED)}
