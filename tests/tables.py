"""Tables without files, for verdicts and figures."""

from lab.runs.directory import RunDirectory


class Tables(RunDirectory):
    """A run's directory that has these tables."""

    def __init__(self, **tables):
        self.tables = tables

    def has_table(self, name):
        return name in self.tables

    def read_table(self, name):
        return self.tables[name]
