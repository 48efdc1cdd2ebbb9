"""Logs of the user's own, in any order; comma, semicolon or tab separated: `click_csv`, one row per interaction, and
`item_csv`, one row per item that a user took.

The file is read in blocks of rows, without those that repeat an earlier one in every cell. Each distinct text in a
feature column is a category of its own; an empty cell means that the interaction has no such token.
"""

import dataclasses
import pathlib

import numpy as np

from tasks.errors import DataError
from tasks.logs import cache
from tasks.logs.cells import Times, check_filled, labels
from tasks.logs.codes import Codes
from tasks.logs.csv_rows import blocks, fill_in, note_of, repeated
from tasks.logs.items import TakenItems, taken_items
from tasks.logs.log import ClickLog
from tasks.logs.settings import ClickCsv, ItemCsv
from tasks.logs.writer import Writer


def read(settings: ClickCsv) -> ClickLog:
    """Read the log, from the cache if it was read before.

    Raises:
        DataError: a column is missing, a time or label is wrong, the log cannot be split in three by time, all labels
            are equal, or the sorted log cannot be written to the cache.
    """
    fill_in(settings)
    return cache.cached_log(settings, lambda folder: _build(settings, folder))


def _build(settings: ClickCsv, folder: pathlib.Path) -> None:
    columns, where, wanted = tuple(settings.features), f"data.path={settings.path}", _wanted(settings)
    item, times = columns.index(settings.item) if settings.item else None, Times(settings)
    with Writer(folder, where, columns, tuple(range(len(columns))), settings.split, item) as writer:
        left_out = repeated(settings)
        writer.notes += note_of(left_out)
        for block in blocks(settings, wanted, left_out):
            count = len(block.lines)
            user = writer.users.encode(block.cells[settings.user], count)
            check_filled("user", settings.user, user, block)
            features = [
                values.encode(block.cells[name], count) for name, values in zip(columns, writer.values, strict=True)
            ]
            writer.add(user, times(block), labels(settings, block), np.stack(features, axis=1))
        writer.finish()


def _wanted(settings: ClickCsv) -> list[tuple[str, str]]:
    """Return (key of the settings, column) for every column that is read.

    Raises:
        DataError: a feature is named twice, or is the label.
    """
    for name in settings.features:
        if settings.features.count(name) > 1:
            raise DataError(f"data.features={name}: named twice")
        if name == settings.label:
            raise DataError(f"data.features={name}: that is the label, which cannot be a feature too")
    if settings.item and settings.item not in settings.features:
        raise DataError(f"data.item={settings.item}: not among data.features={','.join(settings.features)}")
    named = [(key, getattr(settings, key)) for key in ("user", "time", "label")]
    return named + [("features", name) for name in settings.features]


def read_items(settings: ItemCsv) -> TakenItems:
    """Read the items that users took.

    Raises:
        DataError: what `fill_in` raises; a column is missing, a cell is wrong, or there are too few rows.
    """
    fill_in(settings)
    wanted = [(key, getattr(settings, key)) for key in ("user", "time", "item", *(["label"] if settings.label else []))]
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
