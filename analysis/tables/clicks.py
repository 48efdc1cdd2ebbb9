"""Rows of tables about predicted clicks: AUC, log loss and F1 of each answerer."""

import numpy as np

METRICS = ("auc", "log_loss", "f1")


def answer_rows(seed: int, found: dict[str, dict[str, np.ndarray]], of: dict[str, str]) -> list[dict]:
    """One row per answerer of a seed.

    Args:
        found: {answerer: {metric: (1 + D,)}}, of all users and of resamples of them.
        of: {answerer: another}, above which `gap.METRIC` is, paired.
    """
    rows = []
    for name, metrics in found.items():
        row = {"seed": seed, "answers": name}
        for metric in METRICS:
            row |= _with_error(metric, metrics[metric])
        for metric in METRICS if name in of else ():
            row |= _with_error(f"gap.{metric}", metrics[metric] - found[of[name]][metric])
        rows.append(row)
    return rows


def _with_error(name: str, values_D: np.ndarray) -> dict[str, float]:
    """The first value is that of all users, the others are of resamples; those in which it is undefined are left out,
    and of fewer than two there is no error."""
    drawn = values_D[1:][np.isfinite(values_D[1:])]
    error = float(np.std(drawn, ddof=1)) if len(drawn) > 1 else float("nan")
    return {name: float(values_D[0]), f"{name}.stderr": error}
