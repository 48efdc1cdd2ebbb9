"""Decides which runs that were killed can go on together, and from which saved state."""

import time
from collections.abc import Callable, Sequence

import jax
import numpy as np

from lab.errors import UserError
from lab.runs.hosts import on_first_process
from trainers.record import Record

SHARE = 0.05  # the largest share of the time for saving


def groups(records: Sequence[Record]) -> list[list[Record]]:
    """Divide the records of a program into groups that go on together, from a checkpoint of the same step.

    If some records have no checkpoint and the others only their first, the program was killed while it saved for the
    first time. Then all begin anew together: a program with fewer runs would round its sums differently.
    """
    steps_of = {record: record.steps for record in records}
    if not all(steps_of.values()):
        steps_of = {
            record: set() if len(record.checkpoints.steps) == 1 else steps for record, steps in steps_of.items()
        }
    result: list[tuple[set[int], list[Record]]] = []
    for record, steps in steps_of.items():
        for common, group in result:
            if common & steps or common == steps == set():
                common &= steps
                group.append(record)
                break
        else:
            result.append((set(steps), [record]))
    return [group for _, group in result]


class Saving:
    """A clock that says when the next checkpoint is due; each saving is done in a `with` block of it.

    A checkpoint is due `every` seconds after the last one, or later if saving takes so long that it would need more
    than SHARE of the time.
    """

    def __init__(self, every: float):
        self.every, self.last, self.took = every, time.perf_counter(), 0.0

    @on_first_process
    def due(self) -> bool:
        """Return whether the next checkpoint is due."""
        return time.perf_counter() - self.last >= max(self.every, self.took / SHARE)

    def __enter__(self):
        self.began = time.perf_counter()

    def __exit__(self, *error):
        self.last = time.perf_counter()
        self.took = self.last - self.began


def restore(records: Sequence[Record], members: Sequence[int], like: Callable) -> tuple[int, object, list[dict]] | None:
    """Return the newest state that is undamaged in all records; None if the records have no checkpoint and begin anew.

    Args:
        members: how many members of the population each record has.
        like: returns the structure, shapes and dtypes of the whole population's state; called if there is a checkpoint.

    Returns:
        (the step, the state, the extra entries that each record's checkpoint holds beside the state).

    Raises:
        UserError: there are checkpoints, and all are damaged.
    """
    steps = set.intersection(*(record.steps for record in records))
    whole = like() if steps else None
    for step in sorted(steps, reverse=True):
        parts = [record.restored(step, _part(whole, count)) for record, count in zip(records, members, strict=True)]
        undamaged = [part for part in parts if part is not None]
        if len(undamaged) == len(parts):
            state = jax.tree.map(lambda *leaves: np.concatenate(leaves), *(state for state, _ in undamaged))
            return step, state, [extra for _, extra in undamaged]
    if steps:
        where = ", ".join(str(record.checkpoints.folder) for record in records)
        raise UserError(f"no good checkpoint in {where}: give run.force=true to begin anew")
    return None


def _part(like, members: int):
    """Return the structure, shapes and dtypes of a state with this number of members."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((members, *leaf.shape[1:]), leaf.dtype), like)
