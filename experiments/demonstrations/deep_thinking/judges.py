"""Judges of the claims of `deep_thinking`: conditions on its tables."""

import math
from collections.abc import Callable

import numpy as np

from analysis.figures import thinking
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.thinking import FAST, PLAIN, THEIRS, Pair
from analysis.tables.select import NotMeasured, group_by, numbers, rows_where, table
from experiments.demonstrations.deep_thinking.columns import Common, Protocols, Table, Tasks
from lab.runs.directory import RunDirectory

WORDS = {Tasks.NORM: "the first update's size", Tasks.ENTROPY: "the first answers' entropy"}
STILL = 1  # layers that do not move: the first


def _protocol(
    directory: RunDirectory, protocol: str, pair: Pair | None, column: str, scored: Callable[[list], float] = max
) -> Estimate:
    """Return a number of one protocol. scored: chooses among the numbers of queries that choose, where it has some."""
    rows = rows_where(table(directory, Table.PROTOCOLS), {Protocols.PROTOCOL: protocol})
    if pair is not None:
        rows = rows_where(rows, pair)
    counts = [row.number(Protocols.SCORED) for row in rows]
    chosen = scored(counts) if rows else math.nan
    return estimate(
        [row for row, count in zip(rows, counts, strict=True) if count == chosen or math.isnan(count)], column
    )


def _gain(directory: RunDirectory, protocol: str, pair: Pair | None = None, scored: Callable = max) -> Estimate:
    return _protocol(directory, protocol, pair, Protocols.GAIN, scored)


def _peak(directory: RunDirectory, pair: Pair) -> Estimate:
    """Return the number of iterations with the highest accuracy on all tasks."""
    return _protocol(directory, "best_common", pair, Common.ITERATIONS)


def learns_in_context(directory: RunDirectory) -> list[Condition]:
    return [below("accuracy zero-shot - in context", _gain(directory, "zero_shot"))]


def gains(directory: RunDirectory) -> list[Condition]:
    return [above("gain with the number of iterations chosen on other tasks", _gain(directory, "validated", THEIRS))]


def gains_on_fresh_queries(directory: RunDirectory) -> list[Condition]:
    return [above("gain on fresh queries", _gain(directory, "fresh", THEIRS))]


def momentum_gains(directory: RunDirectory) -> list[Condition]:
    difference = _gain(directory, "best_per_task", THEIRS) - _gain(directory, "best_per_task", PLAIN)
    return [above("gain on the same queries, with momentum - without", difference)]


def momentum_gains_on_fresh_queries(directory: RunDirectory) -> list[Condition]:
    difference = _gain(directory, "fresh", THEIRS) - _gain(directory, "fresh", PLAIN)
    return [above("gain on fresh queries, with momentum - without", difference)]


def momentum_is_faster(directory: RunDirectory) -> list[Condition]:
    return [below("best iteration, with momentum - without", _peak(directory, THEIRS) - _peak(directory, PLAIN))]


def beats_one_reading(directory: RunDirectory) -> list[Condition]:
    difference = _gain(directory, "validated", FAST) - _gain(directory, "again")
    return [above("gain with momentum - gain of one re-reading", difference)]


def peaks_earlier(directory: RunDirectory) -> list[Condition]:
    return [below("best iteration, eta .1 - eta .01", _peak(directory, FAST) - _peak(directory, THEIRS))]


def few_queries_flatter(directory: RunDirectory) -> list[Condition]:
    few, many = (_gain(directory, "best_per_task", THEIRS, which) for which in (min, max))
    return [above("gain with the fewest queries that choose - with the most", few - many)]


def tasks_differ(directory: RunDirectory) -> list[Condition]:
    correlation = _correlation(directory, Tasks.NATS_SCORED)
    return [above("correlation over tasks of gains on both kinds of queries", correlation)]


def told_by(column: Tasks) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether a number of the prompt is correlated with the gain on fresh queries."""
    return lambda directory: [above(f"correlation of {WORDS[column]} with the gain", _correlation(directory, column))]


def _correlation(directory: RunDirectory, column: Tasks) -> Estimate:
    """Return Pearson's correlation over the tasks of a seed with the gain on fresh queries; without spread there is
    none."""
    by_seed = {}
    for seed, rows in group_by(table(directory, Table.TASKS), Common.SEED).items():
        one, other = (np.array(numbers(rows, name)) for name in (column, Tasks.NATS_FRESH))
        if min(one.std(), other.std()) == 0:
            raise NotMeasured("the gain is the same for all tasks")
        by_seed[seed] = float(np.corrcoef(one, other)[0, 1])
    return Estimate(by_seed)


def fades_faster(directory: RunDirectory) -> list[Condition]:
    return thinking.fades_faster(table(directory, Table.NORMS), STILL)


def fades_first_near_the_input(directory: RunDirectory) -> list[Condition]:
    return thinking.fades_first_near_the_input(table(directory, Table.NORMS), STILL)
