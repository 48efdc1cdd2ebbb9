"""Every data set by name: one row makes it available on the command line and runs all the tests on it.

bike: Bike Sharing, 17,379 hours of 2011 and 2012 in Washington; the target is the number of bicycles rented in an hour.
H. Fanaee-T and J. Gama, "Event labeling combining ensemble detectors and background knowledge", Progress in Artificial
Intelligence (2013), doi:10.1007/s13748-013-0040-3. CC BY 4.0.

california: California Housing, 20,640 block groups of the 1990 census; the target is the median house value.
R. K. Pace and R. Barry, "Sparse spatial autoregressions", Statistics and Probability Letters 33 (1997) 291-297.

calories: Calories burnt, 15,000 exercise sessions with seven measurements; the target is the calories burnt.
Kaggle, "fmendes-DAT263x-demos" by F. Fernandez (2018). Its origin could not be established; it may be simulated.

diabetes: 442 patients with 10 measurements; the target is the disease's progression after a year. In scikit-learn.
B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "Least angle regression", Annals of Statistics 32 (2004).

wine: Wine Quality, 4,898 white or 1,599 red wines with 11 measurements; the target is the score that tasters gave.
P. Cortez, A. Cerdeira, F. Almeida, T. Matos and J. Reis, "Modeling wine preferences by data mining from physicochemical
properties", Decision Support Systems 47 (2009) 547-553, doi:10.1016/j.dss.2009.05.016. CC BY 4.0.
"""

import dataclasses
import pathlib
import shutil
import tempfile
from collections.abc import Callable
from typing import Any, cast

from tasks.datasets import own
from tasks.datasets.cells import from_cells, read_cells
from tasks.datasets.files import PublishedFile, locate
from tasks.datasets.settings import Bike, California, Calories, Color, Diabetes, Wine
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
LEAK = "casual + registered is the target in every row; data=bike data.drop_leakage=true leaves them out"
CENSUS = PublishedFile(
    folder="california_housing",
    name="cal_housing.tgz",
    sha256="aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681",
    page="https://www.dcc.fc.up.pt/~ltorgo/Regression/cal_housing.html",
    url="https://ndownloader.figshare.com/files/5976036",
)
CALORIES = {
    "exercise.csv": "06474179d32aba1f941bc528765886d44f424fbd39e56697cd6f4c5f67d46a56",
    "calories.csv": "aaae7b1c1502cab499ef7b68ddc118d13596b47855968a142a6db1424eba13c9",
}
GENDERS = {"male": "0", "female": "1"}
WINES = {
    Color.white: "76c3f809815c17c07212622f776311faeb31e87610d52c26d87d6e361b169836",
    Color.red: "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
}
WITHOUT_REPEATS = "data=wine data.drop_duplicates=true"


def bike(settings: Bike) -> Table:
    """Read the table without the number and the date of the hour, as in the paper."""
    table = from_cells(read_cells(locate(HOURS, settings.dir)), "cnt", leave_out=("instant", "dteday"))
    return table.without(*LEAKAGE) if settings.drop_leakage else dataclasses.replace(table, notes=(LEAK,))


def california(settings: California) -> Table:
    """Read the table with scikit-learn, whose reader deletes the archive that it is given and so gets a copy."""
    from sklearn.datasets import fetch_california_housing
    from sklearn.utils import Bunch

    archive = locate(CENSUS, settings.dir)
    with tempfile.TemporaryDirectory() as temporary:
        shutil.copyfile(archive, pathlib.Path(temporary) / CENSUS.name)
        data = cast(Bunch, fetch_california_housing(data_home=temporary))  # a tuple only with return_X_y=True
    return Table(tuple(data.feature_names), data.data, data.target, split=(16_640, 2_000))


def calories(settings: Calories) -> Table:
    """Read the two files and join them by User_ID, which is left out; Gender becomes 0 (male) or 1 (female)."""
    page = "https://www.kaggle.com/datasets/fmendes/fmendesdat263xdemos"
    files = [PublishedFile("calories", name, sha256, page) for name, sha256 in CALORIES.items()]
    sessions, burnt = (read_cells(locate(file, settings.dir)) for file in files)
    by_user = dict(zip(burnt["User_ID"], burnt["Calories"], strict=True))
    sessions["Gender"] = [GENDERS[gender] for gender in sessions["Gender"]]
    sessions["Calories"] = [by_user[user] for user in sessions["User_ID"]]
    table = from_cells(sessions, "Calories", leave_out=("User_ID",))
    return dataclasses.replace(table, notes=("Gender is coded 0 (male) and 1 (female)",))


def diabetes(settings: Diabetes) -> Table:
    """Read the table in its original units."""
    from sklearn.datasets import load_diabetes
    from sklearn.utils import Bunch

    # scaled=True would scale by the statistics of all rows, also of test rows. Only return_X_y=True returns a tuple.
    data = cast(Bunch, load_diabetes(scaled=False))
    return Table(tuple(data.feature_names), data.data, data.target)


def wine(settings: Wine) -> Table:
    """Read the table of one colour, without repeated rows if `drop_duplicates` says so."""
    file = PublishedFile(
        folder="wine_quality",
        name=f"winequality-{settings.color.value}.csv",
        sha256=WINES[settings.color],
        page="https://archive.ics.uci.edu/dataset/186/wine+quality",
        url="https://archive.ics.uci.edu/static/public/186/wine+quality.zip",
        zipped=True,
    )
    table = from_cells(read_cells(locate(file, settings.dir), delimiter=";"), "quality")
    distinct, rows = table.distinct_rows(), len(table.y)
    if not settings.drop_duplicates:
        note = f"{rows - len(distinct)} of {rows} rows repeat another; {WITHOUT_REPEATS} leaves them out"
        return dataclasses.replace(table, notes=(note,), without_repeats=WITHOUT_REPEATS)
    note = f"{rows - len(distinct)} of {rows} rows were left out, as they repeat another"
    return dataclasses.replace(table, x=table.x[distinct], y=table.y[distinct], notes=(note,))


# Each reader takes the settings of its own name alone, `SCHEMAS[name]` in `tasks.datasets.settings`: hence `Any`.
READERS: dict[str, Callable[[Any], Table]] = {
    "diabetes": diabetes,
    "california": california,
    "bike": bike,
    "wine": wine,
    "calories": calories,
    "csv": own.read,
}
