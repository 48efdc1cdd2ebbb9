"""The tests of `train.until`, by which a training stops before its last step. They read the losses recorded so far.

flat: the loss has been flat while the number of steps doubled. With m(a, b) the mean of the losses at steps in (a, b],

    m(s/4, s/2) - m(s/2, s) < tolerance * |m(s/4, s/2)|,    with at least two losses in each of the two.

optimal: the loss of the last step s exceeds the Bayes-optimal loss by at most the share `tolerance` of the latter.

All seeds of a run stop together, at the first step at which the test holds for each of them. The learning rate follows
the schedule over all of `train.steps`: early stopping cuts the schedule short.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.tables.columns import Curves
from lab.config.choices import Until
from lab.config.training import Train, Training
from lab.errors import ConfigError
from trainers.recipe import schedule
from trainers.record import Record

FEWEST = 2  # fewest losses in a mean
OPTIMAL = "loss.optimal"  # the column of curves.csv
STOPPED = "stopped"  # the table in which `keep` stores stops

Losses = Sequence[tuple[int, float]]  # (step, loss) in the order of steps


def is_flat(losses: Losses, tolerance: float) -> bool:
    """Return whether the loss has fallen by less than a share `tolerance` while the number of steps doubled."""
    steps, values = np.array([step for step, _ in losses]), np.array([loss for _, loss in losses])
    last = steps[-1]
    late, early = values[steps > last / 2], values[(steps > last / 4) & (steps <= last / 2)]
    if min(late.size, early.size) < FEWEST:
        return False
    return bool(early.mean() - late.mean() < tolerance * abs(early.mean()))


def is_optimal(loss: float, optimal: float, tolerance: float) -> bool:
    """Return whether a loss exceeds the optimal one by at most a share `tolerance` of it."""
    return loss - optimal <= tolerance * abs(optimal)


def by_curves(train: Train | Training, curves: Sequence[Mapping], subject: str) -> bool:
    """Return whether a run with evaluations stops after the last row of its curves.

    Args:
        curves: the rows of all evaluations so far, without seeds that have diverged.
        subject: the learner whose loss counts, on the episodes of the evaluations.

    Raises:
        ConfigError: the optimal answer is not known.
    """
    if train.until is None or not curves:
        return False
    if train.until is Until.optimal and OPTIMAL not in curves[0]:
        raise ConfigError("train.until=optimal: the optimal loss is not among the run's evaluations; allowed: flat")
    last = curves[-1][Curves.STEP]
    for seed in {row[Curves.SEED] for row in curves if row[Curves.STEP] == last}:
        rows = [row for row in curves if row[Curves.SEED] == seed]
        loss = f"loss.{subject}"
        if train.until is Until.flat and not is_flat([(row[Curves.STEP], row[loss]) for row in rows], train.tolerance):
            return False
        if train.until is Until.optimal and not is_optimal(rows[-1][loss], rows[-1][OPTIMAL], train.tolerance):
            return False
    return True


def by_training_losses(train: Train | Training, losses: Sequence[tuple[int, Sequence[float]]], section: str) -> bool:
    """Return whether a training without evaluations stops after its last step so far.

    Args:
        losses: (step, mean training loss of each model since the step before), in the order of steps.

    Raises:
        ConfigError: `until=optimal` needs the optimal loss, which is not known here.
    """
    if train.until is None or not losses:
        return False
    if train.until is Until.optimal:
        raise ConfigError(f"{section}.until=optimal: the optimal loss is not known to this kind; allowed: flat")
    models = range(len(losses[0][1]))
    return all(is_flat([(step, each[model]) for step, each in losses], train.tolerance) for model in models)


def report(record: Record, name: str, train: Train | Training, step: int) -> None:
    """Say in a note, and in the entry `stopped` of the summary, at which step a training has stopped and why.

    Args:
        name: names the training among others of the run.
    """
    assert train.until is not None  # only a training with a test stops early
    rate = float(np.asarray(schedule(train.steps, train.warmup)(step)))
    test = {
        Until.flat: f"the loss fell by less than {train.tolerance:g} of itself while the steps doubled",
        Until.optimal: f"the loss is within {train.tolerance:g} of the optimal one",
    }[train.until]
    line = f"{name} stopped at step {step} of {train.steps}, as {test}; its learning rate was {rate:.2g} of the largest"
    if line not in record.notes:  # a checkpoint has the notes of its run
        record.note(line)
    record.stopped[name] = {"step": step, "of": train.steps, "until": train.until.name, "share_of_rate": rate}


def keep(record: Record, name: str, section: str, step: int) -> None:
    """Report that a training of a study has stopped, and store this with the finished parts of the run."""
    rows = record.partial.rows(STOPPED) or []
    if name not in [row["name"] for row in rows]:
        record.partial.keep_rows(STOPPED, [*rows, {"name": name, "section": section, "step": step}])
    report(record, name, getattr(record.settings, section), step)


def report_kept(record: Record) -> None:
    """Report the trainings that stopped before the run was killed."""
    for row in record.partial.rows(STOPPED) or []:
        report(record, row["name"], getattr(record.settings, row["section"]), row["step"])
