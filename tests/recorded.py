"""As much of a run's record as a study uses: it keeps what is written to it."""

import pathlib

from lab.config.base import Base
from trainers.store import Partial


class Recorded:
    """Tables by name, headline numbers and notes, in memory; finished parts in a folder."""

    def __init__(self, settings: Base, folder: pathlib.Path):
        self.settings, self.partial = settings, Partial(folder / "partial", "one")
        self.tables, self.values, self.notes, self.stopped = {}, {}, [], {}

    def table(self, name, rows):
        self.tables[name] = rows

    def numbers(self, values):
        self.values |= values

    def note(self, line):
        self.notes.append(line)
