"""From what was measured of users to rows of tables. Every error is over users, and every difference is paired."""

import itertools
from collections.abc import Sequence

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import chance, difference
from experiments.recommend.measure import ALL, SAMPLED, Measured
from tasks.ranking import METRICS
from trainers.study import Row, over_seeds

SCORE = "ndcg_10"
CHANCE, TRUTH = "chance", "truth"


def learner_rows(measured: dict[str, Measured], count: int, negatives: int) -> list[dict]:
    """One row per kind of candidates and recommender: means over users, and what a random order would have."""
    rows = []
    for candidates, size in ((SAMPLED, 1 + negatives), (ALL, count)):
        rows.append({"candidates": candidates, "learner": CHANCE, "users": 0} | _exact(chance(size)))
        for name, each in measured.items():
            values = each[candidates]
            row = {"candidates": candidates, "learner": name, "users": len(values[SCORE])}
            rows.append(
                row | {k: v for metric in METRICS for k, v in mean_over_episodes(metric, values[metric]).items()}
            )
    return rows


def _exact(values: dict[str, float]) -> dict[str, float]:
    return {key: v for name, value in values.items() for key, v in ((name, value), (f"{name}.stderr", 0.0))}


def difference_rows(measured: dict[str, Measured]) -> list[dict]:
    """One row per kind of candidates and pair: nDCG@10 of the one minus that of the other, on the same users."""
    return [
        {"candidates": candidates, "learner": a, "other": b}
        | difference("difference", measured[a][candidates][SCORE], measured[b][candidates][SCORE])
        for candidates in (SAMPLED, ALL)
        for a, b in itertools.combinations(measured, 2)
    ]


def numbers(rows: Sequence[Row]) -> dict[str, float | None]:
    """Return nDCG@10 of each recommender among sampled candidates, by split: means over seeds."""
    chosen = [row for row in rows if row["candidates"] == SAMPLED]
    return over_seeds(chosen, SCORE, lambda row: f"{SCORE}.{row['learner']}.{row['split']}")
