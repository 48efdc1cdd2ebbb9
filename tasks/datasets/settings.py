"""What can be set of each data set: plain dataclasses, so that the command line knows them without importing JAX."""

import enum
from dataclasses import dataclass, field


class Normalization(enum.Enum):
    """What is done to the input columns, in `tasks/datasets/normalization.py`."""

    zscore = "zscore"  # mean 0, variance 1
    minmax = "minmax"  # to [0, 1]
    rank = "rank"  # to U(0, 1), by the quantile
    tanh = "tanh"  # tanh of the z-score


class Color(enum.Enum):
    """Of wine."""

    white = "white"
    red = "red"


@dataclass
class Data:
    """What every data set has."""

    name: str = ""
    # Other tables of the same shape: runs that differ in these alone can train together.
    normalization: Normalization = field(default=Normalization.zscore, metadata={"traced": True})  # of the inputs
    split_seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**32 - 1, "traced": True})  # of the rows
    dir: str | None = field(default=None, metadata={"not_hashed": True})  # where files are searched first


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
    """A table of your own."""

    name: str = "csv"
    path: str = field(default="", metadata={"not_hashed": True})  # what the file is, its checksum says
    target: str = ""  # the column to predict
    drop: list[str] = field(default_factory=list)  # columns to leave out
    sha256: str = ""  # of the file; filled in by the run, so that another file is another run


SCHEMAS = {schema.name: schema for schema in (Diabetes, California, Bike, Wine, Calories, Csv)}
