"""The settings of each log of interactions: plain dataclasses, which the command line can read without NumPy."""

from dataclasses import dataclass, field


@dataclass
class Interactions:
    """The settings that every file of interactions has."""

    name: str = ""
    path: str = field(default="", metadata={"not_hashed": True})  # not hashed: `sha256` says which file it is
    sha256: str = ""  # of the source; filled in by the run, so that another file is another run


@dataclass
class LogData(Interactions):
    """The settings that every log of clicks has."""

    cache: str | None = field(default=None, metadata={"not_hashed": True})  # the directory of sorted logs


@dataclass
class Movielens(LogData):
    """MovieLens-1M as it is published: ml-1m.zip or the unpacked folder."""

    name: str = "movielens"
    label_at_least: float = 4.0  # label = rating >= label_at_least; the papers give no threshold


@dataclass
class ClickCsv(LogData):
    """A log of the user's own: one row per interaction, in any order. `user`, `time` and `label` name columns."""

    name: str = "click_csv"
    user: str = ""
    time: str = ""  # whole numbers
    label: str = ""  # 0 or 1, or any number where label_at_least is set
    features: list[str] = field(default_factory=list)  # names of columns whose cells are categories
    label_at_least: float | None = None  # label = value >= label_at_least


@dataclass
class ItemData(Interactions):
    """The settings that every log of items has."""

    label_at_least: float | None = None  # use only rows with at least this label or rating; null: use all rows
    fewest: int = field(default=5, metadata={"at_least": 1, "at_most": 10**9})  # leave out items with fewer rows
    longest: int = field(default=50, metadata={"at_least": 2, "at_most": 10_000})  # use the latest items of a user


@dataclass
class MovielensItems(ItemData):
    """MovieLens-1M as it is published: ml-1m.zip or the unpacked folder. A user takes the films that they rate."""

    name: str = "movielens_items"


@dataclass
class ItemCsv(ItemData):
    """A log of the user's own: one row per item that a user took, in any order. The new fields name columns."""

    name: str = "item_csv"
    user: str = ""
    time: str = ""  # whole numbers
    item: str = ""
    label: str = ""  # numbers to compare with label_at_least


LOGS: dict[str, type[LogData]] = {schema.name: schema for schema in (Movielens, ClickCsv)}
ITEM_LOGS: dict[str, type[ItemData]] = {schema.name: schema for schema in (MovielensItems, ItemCsv)}
