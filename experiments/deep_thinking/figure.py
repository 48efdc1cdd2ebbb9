"""Reading the context again [DT]: what it gains, and how its updates fade."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import Row, numbers, rows_where, table
from experiments.deep_thinking.claims import CLAIMS as CLAIMS
from experiments.deep_thinking.claims import CONTROLS as CONTROLS
from experiments.deep_thinking.columns import Common, Cost, Iterations, Norms, Protocols, Table, Tasks
from lab.runs.directory import RunDirectory

CAPTION = (
    "Means over seeds; bars and bands are two standard errors. Top, from the left: accuracy gained over in-context "
    "learning, which is one iteration, by the number of iterations; the gain of the best number of iterations for each "
    "task, on the queries that choose it (lines) and on fresh ones (dashed), by how many choose; gains by protocol, "
    "which are one number of iterations chosen on other tasks, the best on these, one whole re-reading, and every "
    "example shown twice; and queries that fit into memory. Bottom: norms of the updates in each layer relative to the "
    "first update, at each rate and the first momentum (dotted: the recurrence that the second layer follows exactly; "
    "the first layer moves only if positions go on at the second reading), and the nats that each task gains on two "
    "sets of its queries at the first rate and momentum."
)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
LAYERS = ("#882255", "#332288", "#44AA99", "#999933", "#AA4499")
PROTOCOLS = {
    "validated": "chosen on\nother tasks",
    "best_common": "best on\nthese tasks",
    "again": "one whole\nre-reading",
    "twice": "examples\ntwice",
}
CHOSEN = {"best_per_task": "-", "fresh": "--"}  # lines
RATES = 3  # panels of norms


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 4, width=16, height=7.5)
    protocols, norms = table(directory, Table.PROTOCOLS), table(directory, Table.NORMS)
    _gains(axes[0, 0], table(directory, Table.ITERATIONS))
    _by_queries(axes[0, 1], protocols)
    _protocols(axes[0, 2], protocols)
    _queries(axes[0, 3], table(directory, Table.COST))
    pairs = _pairs(norms)
    rates = [*dict.fromkeys(eta for eta, _ in pairs)][:RATES]
    for panel, eta in zip(axes[1], sorted(rates, reverse=True), strict=False):
        _norms(panel, rows_where(norms, {Common.ETA: eta, Common.BETA: pairs[0][1]}))
        panel.set_title(f"eta {eta:g}, beta {pairs[0][1]:g}")
    for panel in axes[1, len(rates) : RATES]:
        panel.remove()
    _tasks(axes[1, RATES], table(directory, Table.TASKS))
    style.legend(*axes[0, :2], *axes[1, : len(rates)])
    return figure


def _pairs(rows: list[Row]) -> list[tuple[float, float]]:
    pairs = ((row.number(Common.ETA), row.number(Common.BETA)) for row in rows)
    return [*dict.fromkeys((eta, beta) for eta, beta in pairs if math.isfinite(eta))]


def _gains(panel: Axes, rows: list[Row]) -> None:
    counts = sorted({row[Common.ITERATIONS] for row in rows})
    for (eta, beta), color in zip(_pairs(rows), COLOURS * len(rows), strict=False):
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


def _by_queries(panel: Axes, rows: list[Row]) -> None:
    """Draw the gains of the best number of iterations for each task, with the first momentum."""
    pairs = _pairs(rows)
    for (eta, beta), color in zip(pairs, COLOURS * len(rows), strict=False):
        if beta != pairs[0][1]:
            continue
        for protocol, line in CHOSEN.items():
            chosen = rows_where(rows, {Protocols.PROTOCOL: protocol, Common.ETA: eta, Common.BETA: beta})
            counts = sorted({row.number(Protocols.SCORED) for row in chosen})
            at_each = (rows_where(chosen, {Protocols.SCORED: count}) for count in counts)
            means, errors = np.transpose(
                [mean_over_seeds(each, Protocols.GAIN, f"{Protocols.GAIN}.stderr") for each in at_each]
            )
            label = f"eta {eta:g}" + (", fresh" if protocol == "fresh" else "")
            panel.errorbar(counts, means, errors, fmt=f"{line}o", markersize=4, capsize=2, color=color, label=label)
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set(xscale="log", xlabel="queries that choose", ylabel="accuracy gained")
    every = sorted({row.number(Protocols.SCORED) for row in rows_where(rows, {Protocols.PROTOCOL: "fresh"})})
    panel.set_xticks(every, [f"{count:g}" for count in every])
    panel.minorticks_off()


def _queries(panel: Axes, rows: list[Row]) -> None:
    names = [str(row[Cost.WAY]).replace(", ", ",\n") for row in rows]
    panel.barh(range(len(rows)), [row.number(Cost.QUERIES_THAT_FIT) for row in rows], color="#999999")
    panel.set_yticks(range(len(rows)), names, fontsize="small")
    panel.set(xscale="log", xlabel="queries of one prompt that fit")


def _tasks(panel: Axes, rows: list[Row]) -> None:
    scored, fresh = (numbers(rows, column) for column in (Tasks.NATS_SCORED, Tasks.NATS_FRESH))
    panel.plot(scored, fresh, "o", markersize=3, color="#0072B2", alpha=0.4)
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.axvline(0, color="#999999", linewidth=0.8)
    panel.set(xlabel="nats that a task gains on queries that choose", ylabel="nats gained on fresh queries")
    panel.set(title="gains of the tasks")


def _norms(panel: Axes, rows: list[Row]) -> None:
    """Draw the rows of one rate and momentum."""
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


def _protocols(panel: Axes, rows: list[Row]) -> None:
    names = [name for name in PROTOCOLS if any(row[Protocols.PROTOCOL] == name for row in rows)]
    for place, name in enumerate(names):
        of_protocol = rows_where(rows, {Protocols.PROTOCOL: name})
        pairs = _pairs(of_protocol)
        for number, (color, pair) in enumerate(zip(COLOURS * len(rows), pairs or [None], strict=False)):
            chosen = of_protocol
            if pair is not None:
                chosen = rows_where(of_protocol, {Common.ETA: pair[0], Common.BETA: pair[1]})
            mean, error = mean_over_seeds(chosen, Protocols.GAIN, f"{Protocols.GAIN}.stderr")
            shift = 0.12 * (number - (len(pairs) - 1) / 2) if pairs else 0.0
            panel.errorbar(
                place + shift, mean, error, fmt="o", markersize=4, capsize=2, color=color if pairs else "#000000"
            )
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set_xticks(range(len(names)), [PROTOCOLS[name] for name in names], fontsize="x-small", rotation=40)
    panel.set(ylabel="accuracy gained")
