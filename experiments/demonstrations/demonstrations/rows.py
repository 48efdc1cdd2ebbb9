"""Makes rows of tables of what was measured of users. Every error is over users, and every difference is paired."""

import itertools

import numpy as np

from analysis.metrics.alignment import mean_over_episodes
from analysis.metrics.ranking import correlation_within, difference
from analysis.tables.columns import Rounds
from experiments.demonstrations.demonstrations import results
from experiments.demonstrations.demonstrations.measure import METHODS, PATHS, Measured, evaluations
from experiments.demonstrations.demonstrations.settings import Demonstrations
from tasks.ranking import METRICS
from trainers.study import Row

SCORE = results.ndcg.name
WITH_ERROR = (Rounds.NDCG_10, Rounds.EFFECT, Rounds.VALIDATION, Rounds.SIMILARITY)


def round_rows(measured: Measured) -> list[dict]:
    """Return one row per search and round: rounds.csv."""
    rows = []
    for name in METHODS:
        values = measured.searches[name]
        for index in range(len(values[SCORE][0])):
            row: Row = {Rounds.METHOD: name, Rounds.ROUND: index + 1}
            for column, each_BxR in values.items():
                means = mean_over_episodes(column, each_BxR[:, index], column == Rounds.SIMILARITY)
                row |= means if column in WITH_ERROR else {column: means[column]}
            rows.append(row)
    return rows


def method_rows(settings: Demonstrations, measured: Measured) -> list[dict]:
    """Return one row per way of choosing demonstrations: methods.csv."""
    rows = []
    for name, values in last(measured).items():
        row: Row = {results.METHOD: name} | {
            k: v for metric in METRICS for k, v in mean_over_episodes(metric, values[metric]).items()
        }
        if name in METHODS:
            similarity_BxR = measured.searches[name][Rounds.SIMILARITY]
            row |= mean_over_episodes(results.validation.name, values[Rounds.VALIDATION])
            row |= mean_over_episodes(results.similarity_first.name, similarity_BxR[:, 1], undefined=True)
            row |= mean_over_episodes(results.similarity_last.name, similarity_BxR[:, -1], undefined=True)
            scored = evaluations(settings, METHODS[name])
            row |= {results.EXAMPLES: float(values[Rounds.EXAMPLES].mean()), results.EVALUATIONS: scored}
        else:
            scored = settings.pool * name.startswith("singles")
            row |= {results.EXAMPLES: _size(settings, name), results.EVALUATIONS: scored}
        rows.append(row)
    return rows


def difference_rows(measured: Measured) -> list[dict]:
    """Return one row per pair of ways of choosing: differences.csv."""
    values = {name: each[SCORE] for name, each in last(measured).items()}
    pairs = itertools.combinations(values, 2)
    return [
        {results.METHOD: a, results.OTHER: b} | difference(results.difference.name, values[a], values[b])
        for a, b in pairs
    ]


def agreement(measured: Measured) -> dict[str, float]:
    """The correlation within users of Effect_D on validation and on test, over random sets."""
    return {results.correlation.name: correlation_within(measured.validation, measured.test)}


def last(measured: Measured) -> dict[str, dict[str, np.ndarray]]:
    """{way of choosing: {name: (users,)}} at the end."""
    ends = {name: {column: each_BxR[:, -1] for column, each_BxR in measured.searches[name].items()} for name in METHODS}
    return ends | measured.prompts


def _size(settings: Demonstrations, name: str) -> int:
    sizes = {"zero_shot": 0, "whole_pool": settings.pool, "union": PATHS * settings.examples}
    return sizes[name] if name in sizes else int(name.rpartition("_")[2])
