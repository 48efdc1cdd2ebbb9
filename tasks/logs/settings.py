"""What can be set of each log of interactions: plain dataclasses, so that the command line knows them without NumPy."""

from dataclasses import dataclass, field


@dataclass
class Interactions:
    """What every file of interactions has."""

    name: str = ""
    path: str = field(default="", metadata={"not_hashed": True})  # what the file is, its checksum says
    sha256: str = ""  # of what was read; filled in by the run, so that another file is another run


@dataclass
class LogData(Interactions):
    """What every log of clicks has."""

    cache: str | None = field(default=None, metadata={"not_hashed": True})  # where the sorted log is kept


@dataclass
class Movielens(LogData):
    """MovieLens-1M, as its page gives it: ml-1m.zip or the unpacked folder."""

    name: str = "movielens"
    label_at_least: float = 4.0  # label = rating >= it; the papers give no threshold


@dataclass
class ClickCsv(LogData):
    """A log of your own: one row per interaction, in any order. Each field but the last two names a column."""

    name: str = "click_csv"
    user: str = ""
    time: str = ""  # whole numbers
    label: str = ""  # 0 or 1, or any number where label_at_least is set
    features: list[str] = field(default_factory=list)  # columns whose cells are taken as categories
    label_at_least: float | None = None  # label = value >= it


@dataclass
class ItemData(Interactions):
    """What every log of items has."""

    label_at_least: float | None = None  # only rows whose label or rating is at least that; null: all rows
    fewest: int = field(default=5, metadata={"at_least": 1, "at_most": 10**9})  # rows of an item, else it is left out
    longest: int = field(default=50, metadata={"at_least": 2, "at_most": 10_000})  # the latest so many items of a user


@dataclass
class MovielensItems(ItemData):
    """MovieLens-1M, as its page gives it: ml-1m.zip or the unpacked folder. Whoever rated a film, took it."""

    name: str = "movielens_items"


@dataclass
class ItemCsv(ItemData):
    """A log of your own: one row per item that a user took, in any order. The names are those of columns."""

    name: str = "item_csv"
    user: str = ""
    time: str = ""  # whole numbers
    item: str = ""
    label: str = ""  # numbers that label_at_least is about


LOGS: dict[str, type[LogData]] = {schema.name: schema for schema in (Movielens, ClickCsv)}
ITEM_LOGS: dict[str, type[ItemData]] = {schema.name: schema for schema in (MovielensItems, ItemCsv)}
