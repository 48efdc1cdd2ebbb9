"""Rows of tables about predicted clicks: AUC, log loss and F1 of each answerer."""

import numpy as np

from analysis.tables.columns import Clicks

METRICS = (Clicks.AUC, Clicks.LOG_LOSS, Clicks.F1)


def answer_rows(seed: int, measured: dict[str, dict[str, np.ndarray]], lower: dict[str, str]) -> list[dict]:
    """Return the rows of clicks.csv of a seed, one per answerer.

    Args:
        measured: {answerer: {metric: (1 + D,)}}: the value over all users, then over D resamples of the users.
        lower: {answerer: another}; `gap.METRIC` is the answerer's metric minus the other's, paired.
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
    """Return the first value, over all users, and its error from the other values, over resamples. Undefined resamples
    are left out; fewer than two give no error.
    """
    resampled = values_D[1:][np.isfinite(values_D[1:])]
    error = float(np.std(resampled, ddof=1)) if len(resampled) > 1 else float("nan")
    return {name: float(values_D[0]), f"{name}.stderr": error}
