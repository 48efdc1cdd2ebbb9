"""Reading the context again [DT]: what it gains, and how its updates fade."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import Row, rows_where, table
from experiments.deep_thinking.claims import CLAIMS as CLAIMS
from experiments.deep_thinking.claims import CONTROLS as CONTROLS
from experiments.deep_thinking.columns import Common, Iterations, Norms, Protocols, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Mean over seeds; bars and bands are two standard errors. Left: accuracy gained over plain in-context learning, "
    "which is one iteration, by the number of iterations, one line per rate and momentum. Middle: norms of the updates "
    "in each layer relative to the first update, at the first rate and momentum; black: the recurrence that the second "
    "layer follows exactly. The first layer does not move and is left out. Right: gains by protocol: one number of "
    "iterations chosen on other tasks; the best on these tasks; the source's, the best for each task on the queries "
    "that are scored, and the same on fresh queries; one whole re-reading; every example shown twice."
)
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
LAYERS = ("#882255", "#332288", "#44AA99", "#999933", "#AA4499")  # from the first, which does not move
PROTOCOLS = {
    "validated": "chosen on\nother tasks",
    "best_common": "best on\nthese tasks",
    "best_per_task": "best per task,\nsame queries",
    "fresh": "best per task,\nfresh queries",
    "again": "one whole\nre-reading",
    "twice": "examples\ntwice",
}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=13, height=4)
    _gains(axes[0, 0], table(directory, Table.ITERATIONS))
    _norms(axes[0, 1], table(directory, Table.NORMS))
    _protocols(axes[0, 2], table(directory, Table.PROTOCOLS))
    style.legend(*axes[0])
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


def _norms(panel: Axes, rows: list[Row]) -> None:
    eta, beta = _pairs(rows)[0]
    chosen = rows_where(rows, {Common.ETA: eta, Common.BETA: beta})
    counts = sorted({row[Common.ITERATIONS] for row in chosen})
    for layer, color in zip(sorted({row[Norms.LAYER] for row in chosen}), LAYERS * len(rows), strict=False):
        in_layer = [
            row for row in rows_where(chosen, {Norms.LAYER: layer}) if math.isfinite(row.number(Norms.RELATIVE))
        ]
        if in_layer:
            means = [
                np.mean([row.number(Norms.RELATIVE) for row in in_layer if row[Common.ITERATIONS] == count])
                for count in counts
            ]
            wide = style.WIDE if layer == 2 else {}
            panel.plot(counts, means, color=color, label=f"layer {layer:g}", **wide)
    expected = [rows_where(chosen, {Common.ITERATIONS: count})[0][Norms.RECURRENCE] for count in counts]
    panel.plot(counts, expected, ":", color="#000000", label="recurrence of the second layer")
    panel.set(xlabel="iteration", ylabel="norm of the update / first", title=f"eta {eta:g}, beta {beta:g}")


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
