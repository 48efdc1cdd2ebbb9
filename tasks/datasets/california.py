"""California Housing: 20,640 block groups of the 1990 census; the target is the median house value.

R. K. Pace and R. Barry, "Sparse spatial autoregressions", Statistics and Probability Letters 33 (1997) 291-297.
"""

import pathlib
import shutil
import tempfile
from typing import cast

from tasks.datasets.files import PublishedFile, locate
from tasks.datasets.settings import California
from tasks.datasets.table import Table

ARCHIVE = PublishedFile(
    folder="california_housing",
    name="cal_housing.tgz",
    sha256="aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681",
    page="https://www.dcc.fc.up.pt/~ltorgo/Regression/cal_housing.html",
    url="https://ndownloader.figshare.com/files/5976036",
)


def read(settings: California) -> Table:
    """Read the table with scikit-learn, whose reader deletes the archive that it is given and so gets a copy."""
    from sklearn.datasets import fetch_california_housing
    from sklearn.utils import Bunch

    archive = locate(ARCHIVE, settings.dir)
    with tempfile.TemporaryDirectory() as temporary:
        shutil.copyfile(archive, pathlib.Path(temporary) / ARCHIVE.name)
        data = cast(Bunch, fetch_california_housing(data_home=temporary))  # a tuple only with return_X_y=True
    return Table(tuple(data.feature_names), data.data, data.target, split=(16_640, 2_000))
