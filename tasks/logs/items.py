"""The items that users took, one after the other: the data of recommenders of the next item."""

import dataclasses

import numpy as np

from tasks.errors import DataError
from tasks.logs.codes import Codes
from tasks.logs.settings import ItemData
from tasks.logs.writer import in_time, note_of_ties, ties_of

PADDING = -1


@dataclasses.dataclass(frozen=True)
class TakenItems:
    """The N items that U users took.

    items: (N,) int32 numbers below C, user after user, oldest first. times: (N,) int64. starts: (U + 1,) the first item
    of each user, and N. names: those of the C items, in sorted order. notes: remarks for a reader of the results.
    """

    items: np.ndarray
    times: np.ndarray
    starts: np.ndarray
    names: tuple[str, ...]
    notes: tuple[str, ...]


def taken_items(
    settings: ItemData,
    users: Codes,
    items: Codes,
    user_R: np.ndarray,
    item_R: np.ndarray,
    time_R: np.ndarray,
    *,
    is_file_in_order: bool = True,
) -> TakenItems:
    """Return the items of each user, without items that have fewer than `settings.fewest` rows, sorted by (user, time,
    row).

    Args:
        users, items: the numbers of the users and of the items in user_R and item_R.
        user_R, item_R, time_R: one entry per row of the log.
        is_file_in_order: as in `tasks.logs.writer.Writer`.

    Raises:
        DataError: fewer than two items are left, or no user has two of them.
    """
    where = f"data.path={settings.path}"
    counts = np.bincount(item_R, minlength=len(items))
    is_kept = counts[item_R] >= settings.fewest
    order = in_time(users.rank()[user_R], time_R, is_file_in_order)
    order = order[is_kept[order]]
    user_N = user_R[order]
    starts = np.flatnonzero(np.append(True, user_N[1:] != user_N[:-1])) if len(order) else np.zeros(0, int)
    starts = np.append(starts, len(order))
    lengths = np.diff(starts)
    by_value = items.by_value()
    kept_items = by_value[counts[by_value] >= settings.fewest]
    if len(kept_items) < 2 or not (lengths > 1).any():
        left = f"{len(kept_items)} items with data.fewest={settings.fewest} rows, and no user with two of them"
        raise DataError(f"{where}: nothing can be learned from {left}")
    number = np.full(len(items), PADDING, np.int32)
    number[kept_items] = np.arange(len(kept_items))
    values = list(items)
    return TakenItems(
        items=number[item_R[order]],
        times=time_R[order],
        starts=starts,
        names=tuple(str(values[code]) for code in kept_items),
        notes=(
            *_notes(settings, counts, lengths),
            *note_of_ties(ties_of(user_N, time_R[order]), len(order), is_file_in_order),
        ),
    )


def _notes(settings: ItemData, counts: np.ndarray, lengths: np.ndarray) -> list[str]:
    is_kept = counts >= settings.fewest
    notes = [f"{len(lengths):,} users, {int(is_kept.sum()):,} items, {int(lengths.sum()):,} rows"]
    if not is_kept.all():
        rare = f"{np.sum(~is_kept):,} items with fewer than data.fewest={settings.fewest} rows"
        notes.append(f"{rare} are left out, and their {counts[~is_kept].sum():,} rows")
    if (lengths > settings.longest).any():
        many = f"{np.sum(lengths > settings.longest):,} users have more than data.longest={settings.longest} items"
        notes.append(f"{many}: after the split the latest of each part are taken")
    return notes
