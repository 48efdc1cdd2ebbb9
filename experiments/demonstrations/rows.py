"""From what was measured of users to rows of tables. Every error is over users, and every difference is paired."""

import itertools
from collections.abc import Sequence

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import correlation_within, difference
from experiments.demonstrations.measure import Measured
from experiments.demonstrations.methods import METHODS, PATHS, evaluations
from experiments.demonstrations.settings import Demonstrations
from tasks.ranking import METRICS
from trainers.study import Row, over_seeds

SCORE = "ndcg_10"


def round_rows(measured: Measured) -> list[dict]:
    """One row per search and round: means over users of all that a search gives, `validation` being Effect_D there."""
    rows = []
    for name in METHODS:
        values = measured.searches[name]
        for index in range(len(values[SCORE][0])):
            row = {"method": name, "round": index + 1}
            for column, each_BxR in values.items():
                shown = mean_over_episodes(column, each_BxR[:, index])
                row |= shown if column in (SCORE, "effect", "validation", "similarity") else {column: shown[column]}
            rows.append(row)
    return rows


def method_rows(settings: Demonstrations, measured: Measured) -> list[dict]:
    """One row per way of choosing demonstrations: measures on the test queries at the end; of searches also Effect_D on
    validation, the similarity of the second and of the last round, and how many sets were scored."""
    rows = []
    for name, values in last(measured).items():
        row = {"method": name} | {
            k: v for metric in METRICS for k, v in mean_over_episodes(metric, values[metric]).items()
        }
        if name in METHODS:
            similarity_BxR = measured.searches[name]["similarity"]
            row |= mean_over_episodes("validation", values["validation"])
            row |= mean_over_episodes("similarity_first", similarity_BxR[:, 1]) | mean_over_episodes(
                "similarity_last", similarity_BxR[:, -1]
            )
            row |= {"examples": float(values["examples"].mean())}
            row |= {"evaluations": evaluations(settings, METHODS[name])}
        else:
            row |= {"examples": _size(settings, name), "evaluations": settings.pool * name.startswith("singles")}
        rows.append(row)
    return rows


def difference_rows(measured: Measured) -> list[dict]:
    """One row per pair: nDCG@10 of the one minus that of the other, on the same users."""
    values = {name: each[SCORE] for name, each in last(measured).items()}
    pairs = itertools.combinations(values, 2)
    return [{"method": a, "other": b} | difference("difference", values[a], values[b]) for a, b in pairs]


def agreement(measured: Measured) -> dict[str, float]:
    """The correlation within users of Effect_D on validation and on test, over random sets."""
    return {"correlation": correlation_within(measured.validation, measured.test)}


def last(measured: Measured) -> dict[str, dict[str, np.ndarray]]:
    """{way of choosing: {name: (users,)}} at the end."""
    ends = {name: {column: each_BxR[:, -1] for column, each_BxR in measured.searches[name].items()} for name in METHODS}
    return ends | measured.prompts


def numbers(rows: Sequence[Row]) -> dict[str, float | None]:
    """Return nDCG@10 of each way of choosing, by the number of validation queries: means over seeds."""
    return over_seeds(rows, SCORE, lambda row: f"{SCORE}.{row['method']}.{row['queries']}")


def _size(settings: Demonstrations, name: str) -> int:
    sizes = {"whole_pool": settings.pool, "union": PATHS * settings.examples}
    return sizes.get(name) or int(name.rpartition("_")[2])
