"""Every log by name, with the functions that fill in its checksum and read it."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from tasks.logs import csv_log, item_csv, movielens, movielens_files, movielens_items
from tasks.logs.items import TakenItems
from tasks.logs.log import ClickLog

Read = TypeVar("Read")


class Reader(NamedTuple, Generic[Read]):
    """The functions for the logs of one name. Both take the settings of that name alone, hence `Any`."""

    fill_in: Callable[[Any], None]  # sets settings.sha256
    read: Callable[[Any], Read]


READERS: dict[str, Reader[ClickLog]] = {
    "movielens": Reader(movielens_files.fill_in, movielens.read),
    "click_csv": Reader(csv_log.fill_in, csv_log.read),
}


ITEM_READERS: dict[str, Reader[TakenItems]] = {
    "movielens_items": Reader(movielens_files.fill_in, movielens_items.read),
    "item_csv": Reader(item_csv.fill_in, item_csv.read),
}
