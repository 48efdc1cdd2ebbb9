"""Tables without files."""

from collections.abc import Sequence

from lab.runs.directory import RunDirectory


class Tables(RunDirectory):
    """A run's directory with tables in memory, of an unfinished run or made up."""

    def __init__(self, **tables: Sequence[dict]):
        self.tables = tables

    def has_table(self, name: str) -> bool:
        return name in self.tables

    def read_table(self, name: str) -> list[dict]:
        return [*self.tables[name]]
