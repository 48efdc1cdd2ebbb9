"""Rows of tables about predicted clicks: AUC, log loss and F1 of each answerer."""

from enum import StrEnum

import numpy as np


class Spent(StrEnum):
    """Columns of spent.csv: one row per run, with what its training took. It is measured: a repeated run has others."""

    TARGETS = "targets"  # of a training prompt
    MODELS = "models"  # that trained together, in one program
    STEPS = "steps"
    PER_STEP = "targets_per_step"
    MILLISECONDS = "milliseconds"  # of the processor, of all threads, per step and model
    DEVICE = "device"  # on which it was trained


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


METRICS = (Clicks.AUC, Clicks.LOG_LOSS, Clicks.F1)


def answer_rows(seed: int, measured: dict[str, dict[str, np.ndarray]], lower: dict[str, str]) -> list[dict]:
    """Return the rows of clicks.csv of a seed, one per answerer.

    Args:
        measured: {answerer: {metric: (1 + D,)}}, of all users and of resamples of them.
        lower: {answerer: another}; `gap.METRIC` is how far the answerer is above the other, paired.
    """
    rows = []
    for name, metrics in measured.items():
        row: dict[str, object] = {Clicks.SEED: seed, Clicks.ANSWERS: name}
        for metric in METRICS:
            row |= _with_error(metric, metrics[metric])
        for metric in METRICS if name in lower else ():
            row |= _with_error(f"gap.{metric}", metrics[metric] - measured[lower[name]][metric])
        rows.append(row)
    return rows


def _with_error(name: str, values_D: np.ndarray) -> dict[str, float]:
    """The first value is that of all users, the others are of resamples; those in which it is undefined are left out,
    and of fewer than two there is no error."""
    resampled = values_D[1:][np.isfinite(values_D[1:])]
    error = float(np.std(resampled, ddof=1)) if len(resampled) > 1 else float("nan")
    return {name: float(values_D[0]), f"{name}.stderr": error}
