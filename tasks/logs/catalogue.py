"""Every log by name: how its checksum is filled in, and how it is read."""

from collections.abc import Callable
from typing import NamedTuple

from tasks.logs import csv_log, movielens
from tasks.logs.log import ClickLog
from tasks.logs.settings import LogData


class Reader(NamedTuple):
    fill_in: Callable[[LogData], None]  # sets settings.sha256
    read: Callable[[LogData], ClickLog]


READERS: dict[str, Reader] = {
    "movielens": Reader(movielens.fill_in, movielens.read),
    "click_csv": Reader(csv_log.fill_in, csv_log.read),
}
