"""`click_csv`: a log of the user's own, one row per interaction, in any order; comma, semicolon or tab separated.

The file is read in blocks of rows, without those that repeat an earlier one in every cell. Each distinct text in a
feature column is a category of its own; an empty cell means that the interaction has no such token.
"""

import pathlib

import numpy as np

from tasks.errors import DataError
from tasks.logs import cache
from tasks.logs.cells import Times, check_filled, labels
from tasks.logs.csv_rows import blocks, fill_in_csv, note_of, repeated
from tasks.logs.log import ClickLog
from tasks.logs.settings import ClickCsv
from tasks.logs.writer import Writer


def fill_in(settings: ClickCsv) -> None:
    """Set the file's SHA-256.

    Raises:
        DataError: a column is not named, there is no file, or the settings have the checksum of another file.
    """
    fill_in_csv(settings, ("user", "time", "label", "features"))


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
