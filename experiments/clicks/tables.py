"""Rows of tables about predicted clicks: AUC, log loss and F1 of each answerer."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import numpy as np

from analysis.results.column import Column
from analysis.tables.columns import Curves, Table
from analysis.tables.rows import statistics, suffixed
from experiments.clicks.metrics import by_groups, resamples


class Spent(StrEnum):
    """Columns of spent.csv: one row per run, with what its training took. It is measured: a repeated run has others."""

    TARGETS = "targets"  # of a training prompt
    MODELS = "models"  # that trained together, in one program
    STEPS = "steps"
    PER_STEP = "targets_per_step"
    MILLISECONDS = "milliseconds"  # of the processor, of all threads, per step and model
    DEVICE = "device"  # on which it was trained


class Groups(StrEnum):
    """Columns of groups.csv of a log: one row per answerer and group of test users, the mean over seeds of the part of
    that group in AUC, log loss and F1 (`experiments.clicks.metrics.parts_of_groups`), by which two runs are paired."""

    TARGETS = "targets"  # of a training prompt
    ANSWERS = "answers"
    GROUP = "group"


class Users(StrEnum):
    """Columns of users.csv of a log: one row, with how many users there are."""

    TRAINING = "training"  # with training targets
    TEST = "test"  # with test targets
    NEW = "new"  # with test targets and without training targets


class Clicks(StrEnum):
    """Columns of clicks.csv: one row per seed and answerer, on the test targets, with errors over users (`.stderr`).

    The evaluation on prompts as in training also has `gap.METRIC`, its difference from that on sliding windows, paired.
    """

    TARGETS = "targets"  # of a training prompt
    SEED = "seed"
    ANSWERS = "answers"  # the answerer: an evaluation of the decoder, a Bayes-optimal answer or a baseline
    AUC = "auc"
    LOG_LOSS = "log_loss"  # nats
    F1 = "f1"
    GAP_AUC = "gap.auc"


auc, log_loss, f1 = (
    Column(Table.CLICKS, name, label, sentence, Clicks.ANSWERS, unit)
    for name, label, sentence, unit in (
        (Clicks.AUC, "AUC", "Area under the ROC curve, on the test targets.", ""),
        (Clicks.LOG_LOSS, "log loss", "Mean log loss, on the test targets.", "nats"),
        (Clicks.F1, "F1", "F1 on the test targets.", ""),
    )
)
METRICS = (Clicks.AUC, Clicks.LOG_LOSS, Clicks.F1)


SLIDING, STREAMING = "sliding", "streaming"  # evaluations: one target per prompt, and as many as in training
NEAR = 0.002  # relative difference of AUC that counts as none; the worst of DTI's in its table 1 is -.17% [DTI]


def seed_rows(
    targets: int,
    seeds: Sequence[int],
    answers: Mapping[str, np.ndarray],
    fixed: Mapping[str, np.ndarray],
    label: np.ndarray,
    user: np.ndarray,
) -> list[dict]:
    """Return the rows of clicks.csv, with errors by resampling users.

    Args:
        targets: k of the training prompts.
        answers, fixed: {name: logits}, (P, R) of each seed's decoder, (R,) of a baseline, the same for all seeds.
        label, user: (R,); users are numbered from 0 in the order of the rows.
    """
    users = int(user[-1]) + 1
    weight_DxU = resamples(users) if users > 1 else np.zeros((0, users))
    same = {name: by_groups(label, logit, user, weight_DxU) for name, logit in fixed.items()}
    rows = []
    for place, seed in enumerate(seeds):
        measured = {name: by_groups(label, each[place], user, weight_DxU) for name, each in answers.items()}
        for name, metrics in (measured | same).items():
            row: dict[str, object] = {Clicks.TARGETS: targets, Clicks.SEED: seed, Clicks.ANSWERS: name}
            for metric in METRICS:
                row |= _with_error(metric, metrics[metric])
            for metric in METRICS if name == STREAMING else ():
                row |= _with_error(f"gap.{metric}", metrics[metric] - measured[SLIDING][metric])
            rows.append(row)
    return rows


def spent_row(session: Any, settings: Any, targets: float) -> dict:
    """Return the row of spent.csv of a run, whose models may have trained together with other runs' models.

    Args:
        session: a `trainers.session.Session`. settings: with `model` and `train`. targets: of a prompt in the mean.
    """
    models, train = session.size, settings.train
    return {
        Spent.TARGETS: settings.model.targets,
        Spent.MODELS: models,
        Spent.STEPS: train.steps,
        Spent.PER_STEP: train.batch_size * targets,
        Spent.MILLISECONDS: 1e3 * session.watch.seconds["processor"] / (models * train.steps),
        Spent.DEVICE: " + ".join(session.watch.devices) or "unknown",
    }


def curve_rows(step: int, seeds: Sequence[int], losses: Mapping[str, np.ndarray], results: dict) -> list[dict]:
    """Return the rows of curves.csv of an evaluation, one per seed; losses are means since the last row.

    Args:
        losses, results: as in `trainers.loop.Evaluator.rows`; results may have "auc", {name: (P,)}.
    """
    return [
        {Curves.STEP: step, Curves.SEED: seed}
        | {f"train_loss.{name}": float(each[row].mean()) if step else None for name, each in losses.items()}
        | {f"loss.{name}": float(each["mean"][row]) for name, each in results["loss"].items()}
        | {f"auc.{name}": float(each[row]) for name, each in results.get("auc", {}).items()}
        for row, seed in enumerate(seeds)
    ]


def _with_error(name: str, values_D: np.ndarray) -> dict[str, float]:
    """The first value is that of all users, the others are of resamples; those in which it is undefined are left out,
    and of fewer than two there is no error."""
    resampled = values_D[1:][np.isfinite(values_D[1:])]
    error = float(np.std(resampled, ddof=1)) if len(resampled) > 1 else float("nan")
    return {name: float(values_D[0]), f"{name}.stderr": error}


def metric_numbers(
    rows: list[dict], wanted: Mapping[str, tuple[str, str]], same_users: bool = False
) -> dict[str, float | None]:
    """Return headline numbers, means over seeds with errors; those of a single seed are over users. What is undefined,
    as the AUC of one class, is None.

    Args:
        rows: of clicks.csv.
        wanted: {name of the number: (answerer, column)}.
        same_users: whether all seeds are tested on the same users.
    """
    numbers = {}
    for name, (answerer, column) in wanted.items():
        of_seeds = [row for row in rows if row[Clicks.ANSWERS] == answerer]
        values, errors = (np.array([row[each] for row in of_seeds]) for each in (column, f"{column}.stderr"))
        by_seed = {"mean": values, "stderr": errors, "common": errors if same_users else np.zeros_like(errors)}
        entries = suffixed(statistics(by_seed))
        numbers |= {f"{name}{suffix}": value if np.isfinite(value) else None for suffix, value in entries}
    return numbers
