"""Standard errors of statistics that are not means, by resampling episodes (Efron 1979)."""

from collections.abc import Callable

import numpy as np

DRAWS = 1000


def bootstrap(
    statistic: Callable[..., np.ndarray], *sums_B: np.ndarray, draws: int = DRAWS, seed: int = 0
) -> tuple[float, float]:
    """Return a statistic of sums over episodes, and its standard error.

    Args:
        statistic: a function of totals, each () or (draws,), such as a ratio of two.
        sums_B: what each episode adds to each total, (B,).
        draws: how many samples of B episodes, drawn with replacement.

    Returns:
        The statistic of all episodes, and its standard deviation over the samples. Samples in which it is not a finite
        number (a ratio with denominator 0, say) are left out.
    """
    totals = np.stack([np.asarray(each, np.float64) for each in sums_B])
    episodes = totals.shape[1]
    counts = np.random.default_rng(seed).multinomial(episodes, np.full(episodes, 1 / episodes), size=draws)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = statistic(*(totals @ counts.T))
        value = float(statistic(*totals.sum(axis=1)))
    finite = values[np.isfinite(values)]
    return value, float(finite.std(ddof=1)) if len(finite) > 1 else float("nan")
