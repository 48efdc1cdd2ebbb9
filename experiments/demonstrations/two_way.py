"""Errors of a mean over sets of demonstrations and test rows, both of which are samples.

With numbers y_sx of S sets and X rows, all pairs of which are measured, the mean has the variance

    var_s(mean over x) / S  +  var_x(mean over s) / X,

which counts what set and row do together twice, and so is rather too large than too small.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.tables.columns import Seeds
from experiments.demonstrations.tables import Writer


def stacked(sets: Sequence[Mapping[str, np.ndarray]], name: str) -> np.ndarray:
    """Return one array of all sets, with their axis in front, in double precision."""
    return np.stack([each[name] for each in sets]).astype(np.float64)


def over_rows(values_SxX: np.ndarray) -> float:
    """Return the standard error of the mean that comes from the rows, which all sets share: the second part above."""
    means_X = np.asarray(values_SxX, np.float64).mean(axis=0)
    return float(means_X.std(ddof=1) / math.sqrt(len(means_X))) if len(means_X) > 1 else 0.0


def over_sets(values_SxX: np.ndarray) -> float:
    """Return the standard error of the mean that comes from the sets; NaN for a single set."""
    means_S = np.asarray(values_SxX, np.float64).mean(axis=1)
    return float(means_S.std(ddof=1) / math.sqrt(len(means_S))) if len(means_S) > 1 else math.nan


def set_columns(name: str, values_SxX: np.ndarray, place: int) -> dict[str, float | None]:
    """Return the columns of one set's row: its mean, and as `NAME.common` the error from the rows that all sets share.

    A set that has no finite value somewhere has neither, and is left out of the error.

    Args:
        values_SxX: of all sets, in whose order `place` is.
    """
    defined_S = np.asarray(np.isfinite(values_SxX).all(axis=1))
    if not defined_S[place]:
        return {name: None, f"{name}.common": None}
    mean = float(np.mean(values_SxX[place], dtype=np.float64))
    return {name: mean, f"{name}.common": over_rows(values_SxX[defined_S])}


def writer(seeds: Sequence[int]) -> Writer:
    """Return the writer of a row per set: of numbers (S, X) the columns of `set_columns`, and of numbers (S,) their
    own, empty where it is no finite number."""

    def columns(name: str, values: np.ndarray) -> list[dict]:
        if values.ndim == 2:
            return [set_columns(name, values, place) for place in range(len(values))]
        return [{name: value.item() if np.isfinite(value) else None} for value in values]

    return Writer([{Seeds.SEED: seed} for seed in seeds], columns)


def of_ratios(above_SxX: np.ndarray, below_SxX: np.ndarray) -> np.ndarray:
    """Return numbers (S, X) for the ratios R_s = (sum of `above` over x) / (sum of `below` over x) of S sets.

    They are R_s + (a_sx - R_s b_sx) / (mean of b_s): their mean over the rows is R_s, and their spread over the rows
    gives its error to first order (the delta method). NaN for a set whose `below` is nothing.
    """
    a_SxX, b_SxX = (np.asarray(each, np.float64) for each in (above_SxX, below_SxX))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio_Sx1 = a_SxX.sum(axis=1, keepdims=True) / b_SxX.sum(axis=1, keepdims=True)
        return ratio_Sx1 + (a_SxX - ratio_Sx1 * b_SxX) / b_SxX.mean(axis=1, keepdims=True)
