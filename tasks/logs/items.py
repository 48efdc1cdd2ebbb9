"""The items that users took, one after the other: the data of recommenders of the next item."""

import dataclasses

import numpy as np

from tasks.datasets.table import DataError
from tasks.logs.codes import Codes
from tasks.logs.settings import ItemData

PADDING = -1


@dataclasses.dataclass(frozen=True)
class TakenItems:
    """The items that U users took.

    items: (U, T) int32 numbers below C, oldest first, `PADDING` after a user's last. times: (U, T) int64, 0 for
    padding. names: those of the C items, in sorted order. notes: remarks for a reader of the results.
    """

    items: np.ndarray
    times: np.ndarray
    names: tuple[str, ...]
    notes: tuple[str, ...]


def taken_items(
    settings: ItemData, users: Codes, items: Codes, user_R: np.ndarray, item_R: np.ndarray, time_R: np.ndarray
) -> TakenItems:
    """Return the latest `settings.longest` items of each user, without items that have fewer than `settings.fewest`
    rows, sorted by (user, time, row).

    Args:
        users, items: the numbers of the users and of the items in user_R and item_R.
        user_R, item_R, time_R: one entry per row of the log.

    Raises:
        DataError: fewer than two items are left, or no user has two of them.
    """
    where = f"data.path={settings.path}"
    counts = np.bincount(item_R, minlength=len(items))
    is_kept = counts[item_R] >= settings.fewest
    order = np.lexsort((time_R, users.rank()[user_R]))
    order = order[is_kept[order]]
    user_N, time_N = user_R[order], time_R[order]
    starts = np.flatnonzero(np.append(True, user_N[1:] != user_N[:-1])) if len(order) else np.zeros(0, int)
    lengths = np.diff(np.append(starts, len(order)))
    by_value = items.by_value()
    kept_items = by_value[counts[by_value] >= settings.fewest]
    if len(kept_items) < 2 or not (lengths > 1).any():
        left = f"{len(kept_items)} items with data.fewest={settings.fewest} rows, and no user with two of them"
        raise DataError(f"{where}: nothing can be learned from {left}")
    number = np.full(len(items), PADDING, np.int32)
    number[kept_items] = np.arange(len(kept_items))
    width = min(int(lengths.max()), settings.longest)
    place_UxT = (starts + np.maximum(lengths - width, 0))[:, None] + np.arange(width)[None]
    is_item_UxT = place_UxT < (starts + lengths)[:, None]
    place_UxT = np.minimum(place_UxT, len(order) - 1)
    values = list(items)
    return TakenItems(
        items=np.where(is_item_UxT, number[item_R[order]][place_UxT], PADDING).astype(np.int32),
        times=np.where(is_item_UxT, time_N[place_UxT], 0),
        names=tuple(str(values[code]) for code in kept_items),
        notes=tuple(_notes(settings, counts, lengths, width)),
    )


def _notes(settings: ItemData, counts: np.ndarray, lengths: np.ndarray, width: int) -> list[str]:
    is_kept = counts >= settings.fewest
    notes = [f"{len(lengths):,} users, {int(is_kept.sum()):,} items, {int(lengths.sum()):,} rows"]
    if not is_kept.all():
        rare = f"{np.sum(~is_kept):,} items with fewer than data.fewest={settings.fewest} rows"
        notes.append(f"{rare} are left out, and their {counts[~is_kept].sum():,} rows")
    if (lengths > width).any():
        notes.append(f"of {np.sum(lengths > width):,} users the latest data.longest={width} items are taken")
    return notes
