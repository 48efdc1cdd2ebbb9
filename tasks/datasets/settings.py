"""The settings of each data set: plain dataclasses, so that the command line can read them without importing JAX."""

import enum
from dataclasses import dataclass

from tasks.settings import key


class Normalization(enum.Enum):
    """The normalisation of the input columns (`tasks/datasets/normalization.py`)."""

    zscore = "zscore"  # mean 0, variance 1
    minmax = "minmax"  # to [0, 1]
    rank = "rank"  # to U(0, 1), by the quantile
    tanh = "tanh"  # tanh of the z-score
    none = "none"  # as they are in the file


class Color(enum.Enum):
    """The colour of the wines in a table."""

    white = "white"
    red = "red"


@dataclass
class Data:
    """The settings that every data set has."""

    name: str = ""
    # Other values of these two give tables of the same shape, so runs that differ in them alone can train together.
    normalization: Normalization = key(Normalization.zscore, "Normalisation of the input columns.", traced=True)
    split_seed: int = key(
        0, "Seed of the split of the rows into training and test.", at_least=0, at_most=2**32 - 1, traced=True
    )
    dir: str | None = key(None, "The first directory to search for the data set's files.", not_hashed=True)


@dataclass
class Diabetes(Data):
    name: str = "diabetes"


@dataclass
class California(Data):
    name: str = "california"


@dataclass
class Bike(Data):
    name: str = "bike"
    drop_leakage: bool = key(False, "Leave out `casual` and `registered`, which add up to the target.")


@dataclass
class Wine(Data):
    name: str = "wine"
    color: Color = key(Color.white, "Colour of the wines in the table.")
    drop_duplicates: bool = key(False, "Keep only the first of equal rows.")


@dataclass
class Calories(Data):
    name: str = "calories"


@dataclass
class Csv(Data):
    """A table of the user's own."""

    name: str = "csv"
    path: str = key("", "The CSV file; the first line has the names of its columns.", not_hashed=True)
    target: str = key("", "Name of the column to predict.")
    drop: list[str] = key([], "Names of columns to leave out.")
    sha256: str = key("", "Checksum of the file; the run fills it in, so another file is another run.")


SCHEMAS = {schema.name: schema for schema in (Diabetes, California, Bike, Wine, Calories, Csv)}
