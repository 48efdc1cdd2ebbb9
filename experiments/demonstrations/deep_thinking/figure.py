"""Demonstrations that are read again [DT]: what that gains, and how its updates fade. The panels of every subject."""

import math
from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from analysis.figures import style
from analysis.figures.means import band, line, points
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.demonstrations.deep_thinking import results
from experiments.demonstrations.deep_thinking.results import BETA, COUNT, ETA, FRESH, LAYER, PER_TASK, PROTOCOL, SCORED
from lab.runs.directory import RunDirectory

SHARED = (
    "accuracy gained over in-context learning, which is one iteration, by the number of iterations; gains by protocol; "
    "and queries that fit into memory. Bottom: norms of the updates in each layer relative to the first update, at "
    "each rate and the first momentum (dotted: the recurrence that the lowest layer that moves follows)"
)
CAPTION = (
    "Means over seeds; bars and bands are two standard errors. Top, from the left: the gain of the best number of "
    "iterations for each task, on the queries that choose it (lines) and on fresh ones (dashed), by how many choose; "
    f"{SHARED}, and the nats that each task gains on two sets of its queries at the first rate and momentum."
)
TICKS = {
    results.VALIDATED: "chosen on\nother tasks",
    results.COMMON: "best on\nthese tasks",
    results.AGAIN: "one whole\nre-reading",
    results.TWICE: "examples\ntwice",
}
RATES = 3  # panels of norms
GREY = {"color": "#999999", "linewidth": 0.8}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = panels(directory, {}, TICKS)
    _by_queries(axes[0, 0], table(directory, results.PROTOCOLS))
    _tasks(axes[1, RATES], table(directory, results.TASKS))
    style.legend(*axes[0, :2], *axes[1, :RATES])
    return figure


def panels(directory: RunDirectory, here: Mapping[str, float], ticks: Mapping[str, str]):
    """Return the figure with the panels that all subjects have, and its axes: the first and the last are free.

    Args:
        here: what else than rate and momentum rows have, where they have some.
        ticks: {protocol: its label}.
    """
    figure, axes = style.panels(2, 4, width=16, height=7.5)
    norms = rows_where(table(directory, results.NORMS), here)
    draw_gains(axes[0, 1], rows_where(table(directory, results.ITERATIONS), here))
    draw_protocols(axes[0, 2], [row for row in table(directory, results.PROTOCOLS) if _is_at(row, here)], ticks)
    draw_queries(axes[0, 3], table(directory, results.COST))
    beta = pairs_of(norms)[0][1]
    rates = [*dict.fromkeys(eta for eta, _ in pairs_of(norms))][:RATES]
    for panel, eta in zip(axes[1], sorted(rates, reverse=True), strict=False):
        draw_norms(panel, rows_where(norms, {ETA: eta, BETA: beta}))
        panel.set_title(f"eta {eta:g}, beta {beta:g}")
    for panel in axes[1, len(rates) : RATES]:
        panel.remove()
    return figure, axes


def _is_at(row: Row, here: Mapping[str, float]) -> bool:
    return all(row[key] == value or math.isnan(row.number(key)) for key, value in here.items())


def pairs_of(rows: list[Row]) -> list[tuple[float, float]]:
    """Return the pairs of rate and momentum of some rows, in their order."""
    pairs = ((row.number(ETA), row.number(BETA)) for row in rows)
    return [*dict.fromkeys((eta, beta) for eta, beta in pairs if math.isfinite(eta))]


def draw_gains(panel: Axes, rows: list[Row]) -> None:
    """Draw the accuracy gained by the number of iterations, from rows of iterations.csv."""
    for (eta, beta), color in zip(pairs_of(rows), style.COLOURS * len(rows), strict=False):
        chosen, label = rows_where(rows, {ETA: eta, BETA: beta}), f"eta {eta:g}, beta {beta:g}"
        band(panel, chosen, COUNT, results.gained.name, color=color, label=label)
    panel.axhline(0, **GREY)
    panel.set(xlabel="iterations", ylabel=results.gained.label)


def draw_protocols(panel: Axes, rows: list[Row], ticks: Mapping[str, str]) -> None:
    """Draw the gain of each protocol, and of each pair of rate and momentum where it has some."""
    names = [name for name in ticks if any(row[PROTOCOL] == name for row in rows)]
    for place, name in enumerate(names):
        of_protocol = rows_where(rows, {PROTOCOL: name})
        if not (pairs := pairs_of(of_protocol)):
            points(panel, [place], [of_protocol], results.gain.name, color="#000000")
        for turn, (color, (eta, beta)) in enumerate(zip(style.COLOURS * len(rows), pairs, strict=False)):
            shift = 0.12 * (turn - (len(pairs) - 1) / 2)
            rows_at = [rows_where(of_protocol, {ETA: eta, BETA: beta})]
            points(panel, [place + shift], rows_at, results.gain.name, color=color)
    panel.axhline(0, **GREY)
    panel.set_xticks(range(len(names)), [ticks[name] for name in names], fontsize="x-small", rotation=40)
    panel.set(ylabel=results.gain.label)


def draw_norms(panel: Axes, rows: list[Row]) -> None:
    """Draw the norms of updates in each layer, from rows of norms.csv of one rate and momentum.

    The layers of deep models have a scale of colours, and three of them a label.
    """
    counts = distinct(rows, COUNT)
    moving = [row for row in rows if math.isfinite(row.number(results.relative.name))]
    layers = distinct(moving, LAYER)
    deep = len(layers) > len(style.LAYERS)
    shades = style.shades(len(layers))
    labelled = (0, len(layers) // 2, len(layers) - 1) if deep else range(len(layers))
    for index, layer in enumerate(layers):
        of_layer = rows_where(moving, {LAYER: layer})
        at_each = (numbers(rows_where(of_layer, {COUNT: count}), results.relative.name) for count in counts)
        color = shades[index] if deep else style.LAYERS[(int(layer) - 1) % len(style.LAYERS)]
        wide = style.WIDE if layer == 2 and not deep else {}
        label = f"layer {layer:g}" if index in labelled else "_"
        panel.plot(counts, [sum(each) / len(each) for each in at_each], color=color, label=label, **wide)
    expected = [rows_where(rows, {COUNT: count})[0][results.recurrence.name] for count in counts]
    panel.plot(counts, expected, ":", color="#000000", label="recurrence of the lowest that moves")
    panel.set(xlabel="iteration", ylabel="norm of the update / first")


def draw_queries(panel: Axes, rows: list[Row]) -> None:
    """Draw how many queries fit into memory, from rows of cost.csv."""
    names = [row.text(results.WAY).replace(", ", ",\n") for row in rows]
    panel.barh(range(len(rows)), numbers(rows, results.fit.name), color="#999999")
    panel.set_yticks(range(len(rows)), names, fontsize="small")
    panel.set(xscale="log", xlabel="queries of one prompt that fit")
    panel.xaxis.set_minor_formatter(NullFormatter())  # they would lie upon one another within one power of ten


def _by_queries(panel: Axes, rows: list[Row]) -> None:
    """Draw the gains of the best number of iterations for each task, with the first momentum."""
    pairs = pairs_of(rows)
    for (eta, beta), color in zip(pairs, style.COLOURS * len(rows), strict=False):
        for protocol, dashes, name in ((PER_TASK, "-o", ""), (FRESH, "--o", ", fresh")):
            if beta == pairs[0][1]:
                chosen = rows_where(rows, {PROTOCOL: protocol, ETA: eta, BETA: beta})
                label = f"eta {eta:g}{name}"
                line(panel, chosen, SCORED, results.gain.name, fmt=dashes, color=color, label=label)
    panel.axhline(0, **GREY)
    panel.set(xscale="log", xlabel="queries that choose", ylabel=results.gain.label)
    every = distinct(rows_where(rows, {PROTOCOL: FRESH}), SCORED)
    panel.set_xticks(every, [f"{count:g}" for count in every])
    panel.minorticks_off()


def _tasks(panel: Axes, rows: list[Row]) -> None:
    scored, fresh = (numbers(rows, column.name) for column in (results.nats_scored, results.nats_fresh))
    panel.plot(scored, fresh, "o", markersize=3, color="#0072B2", alpha=0.4)
    panel.axhline(0, **GREY)
    panel.axvline(0, **GREY)
    panel.set(xlabel=results.nats_scored.label, ylabel=results.nats_fresh.label, title="gains of the tasks")
