"""Makes rows of tables of what was measured of users. Every error is over users, and every difference is paired."""

import itertools
from collections.abc import Sequence

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import chance, difference
from experiments.recommendation.recommend.columns import Common, Differences, Learners
from experiments.recommendation.recommend.measure import ALL, SAMPLED, Measured
from tasks.ranking import METRICS
from trainers.study import Row, over_seeds

SCORE = Learners.NDCG_10
CHANCE, TRUTH = "chance", "truth"


def learner_rows(measured: dict[str, Measured], count: int, negatives: int) -> list[dict]:
    """Return one row per kind of candidates and recommender, and what a random order would have: `Learners`."""
    rows = []
    for candidates, size in ((SAMPLED, 1 + negatives), (ALL, count)):
        place = {Common.CANDIDATES: candidates}
        rows.append(place | {Common.LEARNER: CHANCE, Learners.USERS: 0} | _exact(chance(size)))
        for name, each in measured.items():
            values = each[candidates]
            row = place | {Common.LEARNER: name, Learners.USERS: len(values[SCORE])}
            row |= {k: v for metric in METRICS for k, v in mean_over_episodes(metric, values[metric]).items()}
            if Learners.EXAMPLES in values:
                row[Learners.EXAMPLES] = float(np.mean(values[Learners.EXAMPLES]))
            rows.append(row)
    return rows


def _exact(values: dict[str, float]) -> dict[str, float]:
    return {key: v for name, value in values.items() for key, v in ((name, value), (f"{name}.stderr", 0.0))}


def difference_rows(measured: dict[str, Measured]) -> list[dict]:
    """Return one row per kind of candidates and pair of recommenders: the columns `Differences`."""
    return [
        {Common.CANDIDATES: candidates, Common.LEARNER: a, Differences.OTHER: b}
        | difference(Differences.DIFFERENCE, measured[a][candidates][SCORE], measured[b][candidates][SCORE])
        for candidates in (SAMPLED, ALL)
        for a, b in itertools.combinations(measured, 2)
    ]


def numbers(rows: Sequence[Row]) -> dict[str, float | None]:
    """Return nDCG@10 of each recommender among sampled candidates, by split: means over seeds."""
    chosen = [row for row in rows if row[Common.CANDIDATES] == SAMPLED]
    return over_seeds(chosen, SCORE, lambda row: f"{SCORE}.{row[Common.LEARNER]}.{row[Common.SPLIT]}")
