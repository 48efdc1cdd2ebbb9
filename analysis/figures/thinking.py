"""Panels and judges of kinds that read demonstrations again and again: gains, norms of updates, and what fits."""

import math
from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from analysis.figures import style
from analysis.figures.estimates import Estimate, estimate, exact
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import NotMeasured, Row, group_by, numbers, rows_where, table
from analysis.tables.thinking import NOTHING_KEPT, PREFIX_KEPT, THINKING, Common, Cost, Iterations, Norms
from lab.runs.directory import RunDirectory

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
LAYERS = ("#882255", "#332288", "#44AA99", "#999933", "#AA4499")
Pair = Mapping[str, float]
THEIRS: Pair = {Common.ETA: 0.01, Common.BETA: 0.9}  # the source's rate and momentum
FAST: Pair = {Common.ETA: 0.1, Common.BETA: 0.9}
PLAIN: Pair = {Common.ETA: 0.01, Common.BETA: 0.0}  # without momentum, at the source's rate


def pairs_of(rows: list[Row]) -> list[tuple[float, float]]:
    """Return the pairs of rate and momentum of some rows, in their order."""
    pairs = ((row.number(Common.ETA), row.number(Common.BETA)) for row in rows)
    return [*dict.fromkeys((eta, beta) for eta, beta in pairs if math.isfinite(eta))]


def draw_gains(panel: Axes, rows: list[Row]) -> None:
    """Draw the accuracy gained by the number of iterations, from rows of iterations.csv."""
    counts = sorted({row[Common.ITERATIONS] for row in rows})
    for (eta, beta), color in zip(pairs_of(rows), COLOURS * len(rows), strict=False):
        chosen = rows_where(rows, {Common.ETA: eta, Common.BETA: beta})
        means, errors = np.transpose(
            [
                mean_over_seeds(
                    rows_where(chosen, {Common.ITERATIONS: count}), Iterations.GAIN, f"{Iterations.GAIN}.stderr"
                )
                for count in counts
            ]
        )
        panel.plot(counts, means, color=color, label=f"eta {eta:g}, beta {beta:g}")
        panel.fill_between(counts, means - errors, means + errors, color=color, alpha=0.15, linewidth=0)
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set(xlabel="iterations", ylabel="accuracy gained")


def draw_norms(panel: Axes, rows: list[Row]) -> None:
    """Draw the norms of updates in each layer, from rows of norms.csv of one rate and momentum."""
    counts = sorted({row[Common.ITERATIONS] for row in rows})
    for layer, color in zip(sorted({row[Norms.LAYER] for row in rows}), LAYERS * len(rows), strict=False):
        in_layer = [row for row in rows_where(rows, {Norms.LAYER: layer}) if math.isfinite(row.number(Norms.RELATIVE))]
        if in_layer:
            means = [
                np.mean([row.number(Norms.RELATIVE) for row in in_layer if row[Common.ITERATIONS] == count])
                for count in counts
            ]
            wide = style.WIDE if layer == 2 else {}
            panel.plot(counts, means, color=color, label=f"layer {layer:g}", **wide)
    expected = [rows_where(rows, {Common.ITERATIONS: count})[0][Norms.RECURRENCE] for count in counts]
    panel.plot(counts, expected, ":", color="#000000", label="recurrence of the second layer")
    panel.set(xlabel="iteration", ylabel="norm of the update / first")


def draw_queries(panel: Axes, rows: list[Row]) -> None:
    """Draw how many queries fit into memory, from rows of cost.csv."""
    names = [str(row[Cost.WAY]).replace(", ", ",\n") for row in rows]
    panel.barh(range(len(rows)), [row.number(Cost.QUERIES_THAT_FIT) for row in rows], color="#999999")
    panel.set_yticks(range(len(rows)), names, fontsize="small")
    panel.set(xscale="log", xlabel="queries of one prompt that fit")
    panel.xaxis.set_minor_formatter(NullFormatter())  # they would lie upon one another within one power of ten


def half_way(rows: list[Row], pair: Pair, still: int) -> dict[float, Estimate]:
    """Return {layer: norm of its update half-way, relative to its first}.

    Args:
        rows: of norms.csv.
        still: the lowest layers, that do not move.
    """
    rows = [row for row in rows if row.number(Norms.LAYER) > still]
    count = (2 + max(numbers(rows, Common.ITERATIONS))) // 2
    chosen = rows_where(rows, {Common.ITERATIONS: count, **pair})
    return {layer: estimate(group, Norms.RELATIVE) for layer, group in group_by(chosen, Norms.LAYER).items()}


def fades_faster(rows: list[Row], still: int) -> list[Condition]:
    """Return the conditions that updates fade faster at the larger rate, in every layer whose updates follow no
    recurrence whatever is learned.

    Args:
        rows: of norms.csv. still: the lowest layers, that do not move; the next one has the recurrence.
    """
    fast, slow = half_way(rows, FAST, still), half_way(rows, THEIRS, still)
    name = "layer {:g}: relative norm half-way, eta .1 - eta .01"
    judged = [below(name.format(layer), fast[layer] - slow[layer]) for layer in fast if layer > still + 1]
    if not judged:
        raise NotMeasured("there is no layer above the one that follows the recurrence")
    return judged


def fades_first_near_the_input(rows: list[Row], still: int) -> list[Condition]:
    """Return the conditions that updates fade fastest in the lowest layer that moves. Arguments as `fades_faster`."""
    conditions = []
    for pair in (FAST, THEIRS):
        lowest, *others = half_way(rows, pair, still).items()
        for layer, norm in others:
            name = f"eta {pair[Common.ETA]:g}: relative norm half-way, layer {lowest[0]:g} - layer {layer:g}"
            conditions.append(below(name, lowest[1] - norm))
    if not conditions:
        raise NotMeasured("one layer alone moves")
    return conditions


def queries_that_fit(directory: RunDirectory, way: str, name: str) -> float:
    """Return how many queries fit with one way to answer, from cost.csv."""
    (row,) = rows_where(table(directory, name), {Cost.WAY: way})
    return row.number(Cost.QUERIES_THAT_FIT)


def more_queries_fit(name: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether more queries fit than where each has its own copy of the prompt.

    Args:
        name: of the table of costs.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        ratio = queries_that_fit(directory, THINKING, name) / queries_that_fit(directory, NOTHING_KEPT, name)
        return [above("queries that fit, Deep-Thinking / in context", exact(ratio), 1.0)]

    return judge


def as_many_fit_without(name: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether as many queries fit in plain in-context learning that keeps keys and values."""

    def judge(directory: RunDirectory) -> list[Condition]:
        ratio = queries_that_fit(directory, THINKING, name) / queries_that_fit(directory, PREFIX_KEPT, name)
        what = "queries that fit, Deep-Thinking / in context with its prefix kept, - 1"
        return [within(what, exact(ratio - 1), 1e-6)]

    return judge
