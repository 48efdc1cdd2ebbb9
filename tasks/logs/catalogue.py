"""Every log by name: how its checksum is filled in, and how it is read."""

from collections.abc import Callable
from typing import NamedTuple

from tasks.logs import csv_log, item_csv, movielens, movielens_items
from tasks.logs.items import TakenItems
from tasks.logs.log import ClickLog
from tasks.logs.settings import ItemData, LogData


class Reader(NamedTuple):
    fill_in: Callable[[LogData], None]  # sets settings.sha256
    read: Callable[[LogData], ClickLog]


READERS: dict[str, Reader] = {
    "movielens": Reader(movielens.fill_in, movielens.read),
    "click_csv": Reader(csv_log.fill_in, csv_log.read),
}


class ItemReader(NamedTuple):
    fill_in: Callable[[ItemData], None]  # sets settings.sha256
    read: Callable[[ItemData], TakenItems]


ITEM_READERS: dict[str, ItemReader] = {
    "movielens_items": ItemReader(movielens.fill_in, movielens_items.read),
    "item_csv": ItemReader(item_csv.fill_in, item_csv.read),
}
