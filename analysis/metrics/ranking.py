"""Measures of rankings over users (see `tasks.ranking`): their values by chance, and paired differences."""

from typing import cast

import jax
import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from tasks.ranking import METRICS


def chance(candidates: int) -> dict[str, float]:
    """Return {measure: its value for a random ranking of so many candidates}, the mean over all ranks."""
    ranks = np.arange(1, candidates + 1, dtype=float)
    # The metrics are written for JAX's arrays; of NumPy's, some of them compute in double precision.
    ranks_in_double = cast(jax.Array, ranks)
    return {name: float(np.mean(np.asarray(metric(ranks_in_double), np.float64))) for name, metric in METRICS.items()}


def difference(name: str, a_B: np.ndarray, b_B: np.ndarray) -> dict[str, float]:
    """Return {name: mean of a - b over users, name.stderr: its standard error}; a and b are of the same users."""
    return mean_over_episodes(name, np.asarray(a_B, np.float64) - np.asarray(b_B, np.float64))


def correlation_within(a_BxM: np.ndarray, b_BxM: np.ndarray) -> float:
    """Return Pearson's correlation of deviations from each user's own mean over the M columns."""
    a, b = (np.asarray(each, np.float64) for each in (a_BxM, b_BxM))
    a, b = (each - each.mean(axis=1, keepdims=True) for each in (a, b))
    return float(np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2)))
