"""Tables by the number of examples in the context, which kinds of this family write.

Their numbers come as one entry per number of examples and learner: (examples, learner, {column: its statistics}), where
statistics are those of `analysis.metrics.alignment.mean_and_error` with the seeds in front.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.tables.columns import ByExamples
from analysis.tables.rows import statistics, suffixed

Columns = Mapping[str, Mapping[str, np.ndarray]]
Measured = Sequence[tuple[int, str, Columns]]


def mean_rows(measured: Measured) -> list[dict]:
    """Return the rows of by_examples.csv: means over the seeds."""
    return [
        {ByExamples.EXAMPLES: count, ByExamples.LEARNER: learner} | over_seeds(columns)
        for count, learner, columns in measured
    ]


def seed_rows(seeds: Sequence[int], measured: Measured) -> list[dict]:
    """Return the rows of seeds.csv."""
    return [
        {ByExamples.SEED: seed, ByExamples.EXAMPLES: count, ByExamples.LEARNER: learner}
        | {
            f"{column}{suffix}": _known(values[statistic][row])
            for column, values in columns.items()
            for suffix, statistic in (("", "mean"), (".stderr", "stderr"))
        }
        for count, learner, columns in measured
        for row, seed in enumerate(seeds)
    ]


def over_seeds(columns: Columns) -> dict[str, float | None]:
    """Return {column: mean over the seeds}, with its standard error and spread as further columns."""
    return {
        f"{column}{suffix}": _known(value)
        for column, values in columns.items()
        for suffix, value in suffixed(statistics(values))
    }


def _known(value: float) -> float | None:
    """Return None in place of NaN, which stands where the optimal answer is not known."""
    return None if math.isnan(value) else float(value)
