"""Runs that go on from where they were killed: which of them can go on together, and from which saved state."""

import time
from collections.abc import Sequence

import jax
import numpy as np

from lab.errors import UserError
from lab.runs.hosts import on_first_process
from trainers.record import Record

SHARE = 0.05  # of the time, at the most, that saving may take


def groups(records: Sequence[Record]) -> list[list[Record]]:
    """The records of a program, those that share a step together: they have been killed together.

    Where some have no state and others their first, the program was killed while it saved for the first time. They
    begin anew together: a part of the program would be another program, whose sums are rounded otherwise.
    """
    known = {record: record.steps for record in records}
    if not all(known.values()):
        known = {record: set() if len(record.checkpoints.steps) == 1 else steps for record, steps in known.items()}
    result: list[tuple[set[int], list[Record]]] = []
    for record, steps in known.items():
        for common, group in result:
            if common & steps or common == steps == set():
                common &= steps
                group.append(record)
                break
        else:
            result.append((set(steps), [record]))
    return [group for _, group in result]


class Saving:
    """When a checkpoint is due: `every` seconds after the last one at the earliest, and later if saving takes long."""

    def __init__(self, every: float):
        self.every, self.last, self.took = every, time.perf_counter(), 0.0

    @on_first_process
    def due(self) -> bool:
        return time.perf_counter() - self.last >= max(self.every, self.took / SHARE)

    def __enter__(self):
        self.began = time.perf_counter()

    def __exit__(self, *error):
        self.last = time.perf_counter()
        self.took = self.last - self.began


def restore(records: Sequence[Record], members: Sequence[int], like) -> tuple[int, object, list[dict]] | None:
    """The newest state that is good for all records, or None where they begin anew.

    Args:
        members: how many of the population each record has.
        like: the structure, shapes and types of the whole population's state.

    Returns:
        The step, the state, and the extra of each record.

    Raises:
        UserError: there are checkpoints, and none is good.
    """
    steps = set.intersection(*(record.steps for record in records))
    for step in sorted(steps, reverse=True):
        parts = [record.restored(step, _part(like, count)) for record, count in zip(records, members, strict=True)]
        if all(parts):
            state = jax.tree.map(lambda *leaves: np.concatenate(leaves), *(state for state, _ in parts))
            return step, state, [extra for _, extra in parts]
    if steps:
        where = ", ".join(str(record.checkpoints.path) for record in records)
        raise UserError(f"no good checkpoint in {where}: give run.force=true to begin anew")
    return None


def _part(like, members: int):
    """The same for so many members."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((members, *leaf.shape[1:]), leaf.dtype), like)
