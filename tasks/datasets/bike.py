"""Bike Sharing: 17,379 hours of 2011 and 2012 in Washington; the target is the number of bicycles rented in an hour.

H. Fanaee-T and J. Gama, "Event labeling combining ensemble detectors and background knowledge", Progress in Artificial
Intelligence (2013), doi:10.1007/s13748-013-0040-3. CC BY 4.0.
"""

import dataclasses

from tasks.datasets.cells import from_cells, read_cells
from tasks.datasets.files import PublishedFile, locate
from tasks.datasets.settings import Bike
from tasks.datasets.table import Table

HOURS = PublishedFile(
    folder="bike_sharing",
    name="hour.csv",
    sha256="e03de4ee4ef4dc376ac6e04bf829673c6269e8eba5c60fa121640fa2f829504f",
    page="https://archive.ics.uci.edu/dataset/275/bike+sharing+dataset",
    url="https://archive.ics.uci.edu/static/public/275/bike+sharing+dataset.zip",
    zipped=True,
)
LEAKAGE = ("casual", "registered")
WARNING = "casual + registered is the target in every row; data=bike data.drop_leakage=true leaves them out"


def read(settings: Bike) -> Table:
    """Read the table without the number and the date of the hour, as in the paper."""
    table = from_cells(read_cells(locate(HOURS, settings.dir)), "cnt", leave_out=("instant", "dteday"))
    return table.without(*LEAKAGE) if settings.drop_leakage else dataclasses.replace(table, notes=(WARNING,))
