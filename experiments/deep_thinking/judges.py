"""Judges of the claims of `deep_thinking`: conditions on its tables."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from analysis.figures.estimates import Estimate, estimate, exact
from analysis.figures.evidence import Condition, above, below, within
from analysis.tables.select import NotMeasured, Row, group_by, numbers, rows_where, table
from experiments.deep_thinking.columns import Common, Cost, Norms, Protocols, Table, Tasks
from lab.runs.directory import RunDirectory

Pair = Mapping[str, float]
THEIRS: Pair = {Common.ETA: 0.01, Common.BETA: 0.9}
FAST: Pair = {Common.ETA: 0.1, Common.BETA: 0.9}
PLAIN: Pair = {Common.ETA: 0.01, Common.BETA: 0.0}  # without momentum, at the source's rate
WORDS = {Tasks.NORM: "the first update's size", Tasks.ENTROPY: "the first answers' entropy"}
STILL, EXACT = 1, 2  # layers: the first does not move, and a recurrence gives the updates of the second


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


def _half_way(directory: RunDirectory, pair: Pair) -> dict[float, Estimate]:
    """Return {layer: norm of its update half-way, relative to its first}, of the layers that move.

    Raises:
        NotMeasured: there is no layer above the second.
    """
    rows = [row for row in table(directory, Table.NORMS) if row.number(Norms.LAYER) > STILL]
    if not any(row.number(Norms.LAYER) > EXACT for row in rows):
        raise NotMeasured("there is no layer above the second")
    count = (2 + max(numbers(rows, Common.ITERATIONS))) // 2
    chosen: list[Row] = rows_where(rows, {Common.ITERATIONS: count, **pair})
    return {layer: estimate(group, Norms.RELATIVE) for layer, group in group_by(chosen, Norms.LAYER).items()}


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


def _queries(directory: RunDirectory, way: str) -> float:
    (row,) = rows_where(table(directory, Table.COST), {Cost.WAY: way})
    return row.number(Cost.QUERIES_THAT_FIT)


def more_queries_fit(directory: RunDirectory) -> list[Condition]:
    ratio = _queries(directory, "Deep-Thinking") / _queries(directory, "in context, nothing kept")
    return [above("queries that fit, Deep-Thinking / in context", exact(ratio), 1.0)]


def as_many_fit_without(directory: RunDirectory) -> list[Condition]:
    ratio = _queries(directory, "Deep-Thinking") / _queries(directory, "in context, prefix kept")
    return [within("queries that fit, Deep-Thinking / in context with its prefix kept, - 1", exact(ratio - 1), 1e-6)]


def fades_faster(directory: RunDirectory) -> list[Condition]:
    fast, slow = _half_way(directory, FAST), _half_way(directory, THEIRS)
    name = "layer {:g}: relative norm half-way, eta .1 - eta .01"
    return [below(name.format(layer), fast[layer] - slow[layer]) for layer in fast if layer > EXACT]


def fades_first_near_the_input(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for pair in (FAST, THEIRS):
        lowest, *others = _half_way(directory, pair).items()
        for layer, norm in others:
            name = f"eta {pair[Common.ETA]:g}: relative norm half-way, layer {lowest[0]:g} - layer {layer:g}"
            conditions.append(below(name, lowest[1] - norm))
    return conditions
