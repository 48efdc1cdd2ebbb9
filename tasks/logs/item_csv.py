"""`item_csv`: a log of the user's own, one row per item that a user took, in any order."""

import dataclasses

import numpy as np

from tasks.errors import DataError
from tasks.logs.cells import Times, check_filled, labels
from tasks.logs.codes import Codes
from tasks.logs.csv_rows import blocks, fill_in_csv, note_of, repeated
from tasks.logs.items import TakenItems, taken_items
from tasks.logs.settings import ItemCsv

KEYS = ("user", "time", "item")


def fill_in(settings: ItemCsv) -> None:
    """Set the file's SHA-256.

    Raises:
        DataError: a column is not named, there is no file, the settings have the checksum of another file, or only one
            of label and label_at_least is set.
    """
    if (settings.label_at_least is None) != (settings.label == ""):
        raise DataError("data.label=COLUMN and data.label_at_least=VALUE belong together: give both or none")
    fill_in_csv(settings, KEYS)


def read(settings: ItemCsv) -> TakenItems:
    """Read the items that users took.

    Raises:
        DataError: what `fill_in` raises; a column is missing, a cell is wrong, or there are too few rows.
    """
    fill_in(settings)
    wanted = [(key, getattr(settings, key)) for key in (*KEYS, *(["label"] if settings.label else []))]
    users, items, parts, times = Codes(), Codes(), [], Times(settings)
    left_out = repeated(settings)
    for block in blocks(settings, wanted, left_out):
        count = len(block.lines)
        user, item = users.encode(block.cells[settings.user], count), items.encode(block.cells[settings.item], count)
        check_filled("user", settings.user, user, block)
        check_filled("item", settings.item, item, block)
        is_taken = labels(settings, block) if settings.label else np.ones(count, bool)
        parts.append([each[is_taken] for each in (user, item, times(block))])
    if not parts:
        raise DataError(f"data.path={settings.path}: the file has no rows")
    columns = [np.concatenate(each) for each in zip(*parts, strict=True)]
    del parts  # as much again
    log = taken_items(settings, users, items, *columns)
    return dataclasses.replace(log, notes=(*note_of(left_out), *log.notes))
