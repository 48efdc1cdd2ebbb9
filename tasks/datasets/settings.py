"""The settings of each data set: plain dataclasses, so that the command line can read them without importing JAX."""

import enum
from dataclasses import dataclass, field


class Normalization(enum.Enum):
    """The normalisation of the input columns (`tasks/datasets/normalization.py`)."""

    zscore = "zscore"  # mean 0, variance 1
    minmax = "minmax"  # to [0, 1]
    rank = "rank"  # to U(0, 1), by the quantile
    tanh = "tanh"  # tanh of the z-score


class Color(enum.Enum):
    """The colour of the wines in a table."""

    white = "white"
    red = "red"


@dataclass
class Data:
    """The settings that every data set has."""

    name: str = ""
    # Other values of these two give tables of the same shape, so runs that differ in them alone can train together.
    normalization: Normalization = field(default=Normalization.zscore, metadata={"traced": True})  # of the inputs
    split_seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**32 - 1, "traced": True})  # of the rows
    dir: str | None = field(default=None, metadata={"not_hashed": True})  # the first place to search for files


@dataclass
class Diabetes(Data):
    name: str = "diabetes"


@dataclass
class California(Data):
    name: str = "california"


@dataclass
class Bike(Data):
    name: str = "bike"
    drop_leakage: bool = False  # leave out `casual` and `registered`, which add up to the target


@dataclass
class Wine(Data):
    name: str = "wine"
    color: Color = Color.white
    drop_duplicates: bool = False  # keep the first of equal rows


@dataclass
class Calories(Data):
    name: str = "calories"


@dataclass
class Csv(Data):
    """A table of the user's own."""

    name: str = "csv"
    path: str = field(default="", metadata={"not_hashed": True})  # not hashed: `sha256` says which file it is
    target: str = ""  # the column to predict
    drop: list[str] = field(default_factory=list)  # columns to leave out
    sha256: str = ""  # of the file; filled in by the run, so that another file is another run


SCHEMAS = {schema.name: schema for schema in (Diabetes, California, Bike, Wine, Calories, Csv)}
