"""The settings of each log of interactions: plain dataclasses, which the command line can read without NumPy."""

import enum
from dataclasses import dataclass

from tasks.settings import key


class ClickSplit(enum.Enum):
    """The ways to split a log of clicks into training, validation and test, 8:1:1."""

    time = "time"  # at two points in time, the same for all users
    user = "user"  # the last tenth of each user's interactions is the test, the tenth before it the validation


@dataclass
class Interactions:
    """The settings that every file of interactions has."""

    name: str = ""
    path: str = key("", "The file or folder of the log.", not_hashed=True)
    sha256: str = key("", "Checksum of the source; the run fills it in, so another file is another run.")


@dataclass
class LogData(Interactions):
    """The settings that every log of clicks has."""

    split: ClickSplit = key(ClickSplit.time, "Training, validation and test, 8:1:1, by time or of each user.")
    cache: str | None = key(None, "The directory of sorted logs; null: the user's cache directory.", not_hashed=True)


@dataclass
class Movielens(LogData):
    """MovieLens of any release: its zip archive, the unpacked folder, or the file of ratings in it, as `u.data`."""

    name: str = "movielens"
    label_at_least: float = key(4.0, "The label is 1 where the rating is at least this; the papers name no value.")
    words: int = key(0, "Words of a film's title that are tokens, the first ones; 0: none.", at_least=0, at_most=100)


@dataclass
class ClickCsv(LogData):
    """A log of the user's own: one row per interaction, in any order. `user`, `time` and `label` name columns."""

    name: str = "click_csv"
    user: str = key("", "Name of the column of users.")
    time: str = key("", "Name of the column of times: whole numbers of any unit, or dates in ISO 8601.")
    label: str = key("", "Name of the column of labels: 0 or 1, or numbers with label_at_least.")
    features: list[str] = key([], "Names of the columns whose cells are categories.")
    item: str = key("", "The feature that is the item, whose mean is a baseline; empty: none is.")
    label_at_least: float | None = key(None, "The label is 1 where its column is at least this; null: it is 0 or 1.")
    columns: list[str] = key([], "Names of all columns of a file without a header, in their order.")


@dataclass
class ItemData(Interactions):
    """The settings that every log of items has."""

    label_at_least: float | None = key(None, "Use only rows with at least this label or rating; null: all rows.")
    fewest: int = key(5, "Leave out items with fewer rows than this.", at_least=1, at_most=10**9)
    longest: int = key(
        50,
        "Use at most so many items of a user in training, and in a test, the latest.",
        at_least=2,
        at_most=10_000,
    )


@dataclass
class MovielensItems(ItemData):
    """MovieLens as it is published, any release, as for clicks. A user takes the films that they rate."""

    name: str = "movielens_items"


@dataclass
class ItemCsv(ItemData):
    """A log of the user's own: one row per item that a user took, in any order. The new fields name columns."""

    name: str = "item_csv"
    user: str = key("", "Name of the column of users.")
    time: str = key("", "Name of the column of times: whole numbers of any unit, or dates in ISO 8601.")
    item: str = key("", "Name of the column of items.")
    label: str = key("", "Name of the column of numbers to compare with label_at_least.")
    columns: list[str] = key([], "Names of all columns of a file without a header, in their order.")


LOGS: dict[str, type[LogData]] = {schema.name: schema for schema in (Movielens, ClickCsv)}
ITEM_LOGS: dict[str, type[ItemData]] = {schema.name: schema for schema in (MovielensItems, ItemCsv)}
