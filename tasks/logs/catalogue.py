"""Every log by name, with the functions that fill in its checksum and read it."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from tasks.logs import csv_log, csv_rows, movielens, movielens_files
from tasks.logs.items import TakenItems
from tasks.logs.log import ClickLog

Read = TypeVar("Read")


class Reader(NamedTuple, Generic[Read]):
    """The functions for the logs of one name. Both take the settings of that name alone, hence `Any`."""

    fill_in: Callable[[Any], None]  # sets settings.sha256
    read: Callable[[Any], Read]


READERS: dict[str, Reader[ClickLog]] = {
    "movielens": Reader(movielens_files.fill_in, movielens.read),
    "click_csv": Reader(csv_rows.fill_in, csv_log.read),
}
ITEM_READERS: dict[str, Reader[TakenItems]] = {
    "movielens_items": Reader(movielens_files.fill_in, movielens.read_items),
    "item_csv": Reader(csv_rows.fill_in, csv_log.read_items),
}
