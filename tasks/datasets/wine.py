"""Wine Quality: 4,898 white or 1,599 red wines with 11 measurements; the target is the score that tasters gave.

P. Cortez, A. Cerdeira, F. Almeida, T. Matos and J. Reis, "Modeling wine preferences by data mining from physicochemical
properties", Decision Support Systems 47 (2009) 547-553, doi:10.1016/j.dss.2009.05.016. CC BY 4.0.
"""

import dataclasses

from tasks.datasets.cells import from_cells, read_cells
from tasks.datasets.files import PublishedFile, locate
from tasks.datasets.settings import Color, Wine
from tasks.datasets.table import Table


def _file(color: Color, sha256: str) -> PublishedFile:
    return PublishedFile(
        folder="wine_quality",
        name=f"winequality-{color.value}.csv",
        sha256=sha256,
        page="https://archive.ics.uci.edu/dataset/186/wine+quality",
        url="https://archive.ics.uci.edu/static/public/186/wine+quality.zip",
        zipped=True,
    )


FILES = {
    Color.white: _file(Color.white, "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836"),
    Color.red: _file(Color.red, "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e"),
}

WITHOUT_REPEATS = "data=wine data.drop_duplicates=true"


def read(settings: Wine) -> Table:
    """Read the table of one colour, without repeated rows if `drop_duplicates` says so."""
    table = from_cells(read_cells(locate(FILES[settings.color], settings.dir), delimiter=";"), "quality")
    distinct, rows = table.distinct_rows(), len(table.y)
    if not settings.drop_duplicates:
        note = f"{rows - len(distinct)} of {rows} rows repeat another; {WITHOUT_REPEATS} leaves them out"
        return dataclasses.replace(table, notes=(note,), without_repeats=WITHOUT_REPEATS)
    note = f"{rows - len(distinct)} of {rows} rows were left out, as they repeat another"
    return dataclasses.replace(table, x=table.x[distinct], y=table.y[distinct], notes=(note,))
