"""Runs that go on from where they were killed: what is saved of them, and which of them can go on together."""

import time
from collections.abc import Sequence

import jax
import numpy as np

from lab.errors import UserError
from lab.runs.hosts import on_first_process
from trainers.experiments.comparison.run import Run
from trainers.population import at
from trainers.session import Session

SHARE = 0.05  # of the time, at the most, that saving may take


def number(runs: Sequence[Run]) -> None:
    """Give the runs of a program their places in its population."""
    first = 0
    for one in runs:
        one.members = np.arange(first, first + one.config.population.seeds)
        one.rows, first = one.members, first + len(one.members)


def groups(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs of a program, those that share a step together: they have been killed together."""
    found: list[tuple[set[int], list[Run]]] = []
    for one in runs:
        steps = set() if one.config.run.force else one.checkpoints.steps
        for common, group in found:
            if common & steps or common == steps == set():
                common &= steps
                group.append(one)
                break
        else:
            found.append((steps, [one]))
    return [group for _, group in found]


def save(step: int, session: Session, runs: Sequence[Run]) -> None:
    """A checkpoint for each run, of all its members."""
    state = session.state
    for one in runs:
        record = {
            "curves": one.curves,
            "metrics_bytes": one.metrics_bytes,
            "rows": (one.rows - one.members[0]).tolist(),
            "lost": one.lost,
            "seconds": session.watch.total(),
        }
        one.checkpoints.save(step, at(state, one.members), record)


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


class Resume:
    """From the newest step whose checkpoints are good for all the runs. `step` is None where they begin anew."""

    def __init__(self, runs: Sequence[Run]):
        self.runs, self.step, self.seconds = runs, None, {}

    def restore(self, like):
        """The saved state for a population's, or None.

        Raises:
            UserError: there are checkpoints, and none is good.
        """
        steps = set.intersection(*(one.checkpoints.steps for one in self.runs))
        for step in sorted(steps, reverse=True):
            parts = [one.checkpoints.restore(step, _of(like, len(one.members))) for one in self.runs]
            if all(parts):
                self._remember(step, [record for _, record in parts])
                return jax.tree.map(lambda *of: np.concatenate(of), *(state for state, _ in parts))
        if steps:
            where = ", ".join(str(one.checkpoints.path) for one in self.runs)
            raise UserError(f"no good checkpoint in {where}: give run.force=true to begin anew")
        return None

    def _remember(self, step: int, records: list[dict]) -> None:
        self.step, self.seconds = step, records[0]["seconds"]
        for one, record in zip(self.runs, records, strict=True):
            one.rows = one.members[record["rows"]]
            one.curves, one.lost, one.metrics_bytes = (record[key] for key in ("curves", "lost", "metrics_bytes"))


def _of(like, members: int):
    """The same for so many members."""
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((members, *leaf.shape[1:]), leaf.dtype), like)
