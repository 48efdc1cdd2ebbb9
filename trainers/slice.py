"""One run of a program: its members in the population, and the members that have not diverged."""

import dataclasses
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from analysis.tables.columns import Curves, Diverged, Table
from lab import errors
from lab.config.base import Base
from lab.config.training import seeds_of
from tasks.task import Source
from trainers.population import at
from trainers.programs import Stopwatch
from trainers.recipe import training_of
from trainers.record import Record
from trainers.training import GROWN

S = TypeVar("S", bound=Base)


@dataclasses.dataclass
class RunSlice(Generic[S]):
    record: Record[S]
    source: Source  # the data of its task
    members: np.ndarray  # the indices of its members in the population
    rows: np.ndarray  # the indices of the members that have not diverged
    diverged: list[dict] = dataclasses.field(default_factory=list)  # the rows of diverged.csv

    @property
    def seeds(self) -> list[int]:
        """The seeds of the rows."""
        return [self.record.settings.seed + int(row - self.members[0]) for row in self.rows]

    @property
    def extra(self) -> dict:
        """The entries that a checkpoint stores beside the state."""
        return {"rows": (self.rows - self.members[0]).tolist(), "diverged": self.diverged}

    def restore(self, extra: dict) -> None:
        """Restore the rows from a checkpoint, and write diverged.csv again if there was one.

        Args:
            extra: the entries of the checkpoint; empty for a run that begins.
        """
        if extra:
            self.rows = self.members[extra["rows"]]
        if rows := extra.get("diverged"):
            self._leave_out(rows)

    def evaluated(self, step: int, evaluator, losses: dict[str, np.ndarray], results: dict, seconds: float) -> None:
        """Write the results of an evaluation into the curves, and leave out the seeds that have diverged.

        Diverged seeds are written into diverged.csv. A run has failed once all of its seeds have diverged.

        Args:
            results: the result of `trainers.loop.Evaluator.curve`.
            losses: (P, steps) of the steps since the last evaluation.
        """
        keys = {**evaluator.rates, **dict.fromkeys(losses, "train.learning_rate")}
        divergences = [
            _divergence(at(losses, [row]), at(results["loss"], [row]), step, seed, keys)
            or self._growth(results["loss"], evaluator.SUBJECT, row, step, keys)
            for row, seed in enumerate(self.seeds)
        ]
        well = [row for row, divergence in enumerate(divergences) if divergence is None]
        diverged = [divergence for divergence in divergences if divergence is not None]
        if diverged:
            self.rows = self.rows[well]
            self._leave_out(diverged)
        if not well:
            return
        if diverged:
            for divergence in diverged:
                self.record.note(f"left out: {divergence[Diverged.WHY]}")
            losses, results = at(losses, well), at(results, well)
        self.record.curve(evaluator.rows(step, self.seeds, losses, results), seconds)

    def _leave_out(self, rows: list[dict]) -> None:
        self.diverged = self.diverged + rows
        self.record.curves = [row for row in self.record.curves if row[Curves.SEED] in self.seeds]
        self.record.table(Table.DIVERGED, self.diverged)
        if not len(self.rows):
            self.record.failure = errors.Diverged(self.diverged[0][Diverged.WHY])

    def _growth(self, validation: dict, subject: str, row: int, step: int, keys: dict[str, str]) -> dict | None:
        """Return the row of diverged.csv for a member whose loss at the last step is finite, but far above the
        untrained learner's. If training may stop early, any step may be the last.
        """
        seed, column = self.seeds[row], f"loss.{subject}"
        first = [each[column] for each in self.record.curves if each[Curves.SEED] == seed and column in each][:1]
        last = float(validation[subject]["mean"][row])
        train = training_of(self.record.settings)
        if (step < train.steps and train.until is None) or not first or last <= GROWN * abs(first[0]):
            return None
        key = keys.get(subject, "train.learning_rate")
        why = f"the validation loss of {subject} grew from {first[0]:.3g} to {last:.3g} with seed {seed}; lower {key}"
        return _row(seed, step, why)


def runs_of(records: Sequence[Record[S]], sources: Sequence[Source]) -> list[RunSlice[S]]:
    """Return the slices of a program's records, with their members in the population."""
    runs, first = [], 0
    for record, source in zip(records, sources, strict=True):
        places = np.arange(first, first + len(seeds_of(record.settings)))
        runs.append(RunSlice(record, source, places, places))
        first += len(places)
    return runs


def cost(watch: Stopwatch, models: int, runs: Sequence[RunSlice]) -> dict:
    """Return the seconds that the runs of a program took together, by purpose, the training steps per second, and how
    many models and runs shared these seconds: entries of summary.json.

    Args:
        models: the number of models that are trained together.
    """
    record, seconds = runs[0].record, watch.total()
    steps = next((each["step"] for each in record.stopped.values()), training_of(record.settings).steps)
    shared = {"together": {"models": models, "runs": len(runs)}} if models > 1 else {}
    return {"seconds": seconds, "steps_per_second": steps / seconds["train"] if seconds["train"] else None} | shared


def alive(runs: Sequence[RunSlice[S]]) -> list[RunSlice[S]]:
    """Return the runs that have not failed."""
    return [each for each in runs if each.record.failure is None]


def _divergence(
    losses: dict[str, np.ndarray], validation: dict, step: int, seed: int, keys: dict[str, str]
) -> dict | None:
    """Return the row of diverged.csv for a member with a loss that is not finite; None for others.

    Only the validation loss shows the last update of a chunk, and learners that were trained before.

    Args:
        losses: (1, steps) of the training. keys: {learner: the rate to lower; "" if it has none}.
    """
    for name, losses_1xS in losses.items():
        bad = np.flatnonzero(~np.isfinite(losses_1xS[0]))
        if step and bad.size:
            where = step - losses_1xS.shape[1] + bad[0]
            why = (
                f"the training loss of {name} became {losses_1xS[0, bad[0]]} at step {where} with seed {seed}; "
                "lower train.learning_rate or train.clip_norm"
            )
            return _row(seed, int(where), why)
    for name, key in keys.items():
        if name not in validation:
            continue
        if np.any(validation[name]["left_out"]) or not np.all(np.isfinite(validation[name]["mean"])):
            why = f"the validation loss of {name} is not a finite number at step {step} with seed {seed}"
            return _row(seed, step, f"{why}; lower {key}" if key else why)
    return None


def _row(seed: int, step: int, why: str) -> dict:
    return {Diverged.SEED: seed, Diverged.STEP: step, Diverged.WHY: why}
