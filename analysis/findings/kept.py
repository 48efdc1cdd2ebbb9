"""The kept tables of a figure, as a directory that the figure can be drawn from, and their fingerprint."""

import hashlib
import pathlib

from analysis.tables.columns import Points, Table
from lab.runs.directory import RunDirectory
from lab.runs.files import with_numbers

SHOWN = 12  # digits of a fingerprint on pages


class Kept(RunDirectory):
    """A folder of `docs/results`. Points of a sweep have no directories there: each is a view of gathered tables."""

    def points(self) -> dict[str, RunDirectory]:
        """Return {name: view} of the points of a sweep; nothing for a single run."""
        rows = self.read_text_table(Table.POINTS) if self.has_table(Table.POINTS) else []
        return {row["point"]: _Point(self.path, row) for row in rows}


class _Point(RunDirectory):
    """The rows of one point in the gathered tables of a sweep."""

    def __init__(self, path: pathlib.Path, place: dict[str, str]):
        super().__init__(path)
        self.place = place

    def read_text_table(self, name: str) -> list[dict[str, str]]:
        rows = super().read_text_table(name)
        settings = list(self.place)[: list(self.place).index(Points.STATE)]  # behind its state there are numbers
        columns = [column for column in rows[0] if column in settings] if rows else []
        return [row for row in rows if all(row[column] == self.place[column] for column in columns)]

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        return with_numbers(self.read_text_table(name))

    def read_summary(self) -> dict:
        """Return no entries: summaries are not kept, and figures leave out everything they take from summaries."""
        return {}


def fingerprint(*folders: pathlib.Path) -> str:
    """Return the fingerprint of some figures' tables for pages and pictures: the first digits of a SHA-256."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.csv")):
            digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
            digest.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:SHOWN]
