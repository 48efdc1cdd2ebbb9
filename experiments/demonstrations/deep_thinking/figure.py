"""Reading the context again [DT]: what it gains, and how its updates fade."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.figures.thinking import COLOURS, draw_gains, draw_norms, draw_queries, pairs_of
from analysis.tables.select import Row, numbers, rows_where, table
from experiments.demonstrations.deep_thinking.claims import CLAIMS as CLAIMS
from experiments.demonstrations.deep_thinking.claims import CONTROLS as CONTROLS
from experiments.demonstrations.deep_thinking.columns import Common, Protocols, Table, Tasks
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
    draw_gains(axes[0, 0], table(directory, Table.ITERATIONS))
    _by_queries(axes[0, 1], protocols)
    _protocols(axes[0, 2], protocols)
    draw_queries(axes[0, 3], table(directory, Table.COST))
    pairs = pairs_of(norms)
    rates = [*dict.fromkeys(eta for eta, _ in pairs)][:RATES]
    for panel, eta in zip(axes[1], sorted(rates, reverse=True), strict=False):
        draw_norms(panel, rows_where(norms, {Common.ETA: eta, Common.BETA: pairs[0][1]}))
        panel.set_title(f"eta {eta:g}, beta {pairs[0][1]:g}")
    for panel in axes[1, len(rates) : RATES]:
        panel.remove()
    _tasks(axes[1, RATES], table(directory, Table.TASKS))
    style.legend(*axes[0, :2], *axes[1, : len(rates)])
    return figure


def _by_queries(panel: Axes, rows: list[Row]) -> None:
    """Draw the gains of the best number of iterations for each task, with the first momentum."""
    pairs = pairs_of(rows)
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


def _tasks(panel: Axes, rows: list[Row]) -> None:
    scored, fresh = (numbers(rows, column) for column in (Tasks.NATS_SCORED, Tasks.NATS_FRESH))
    panel.plot(scored, fresh, "o", markersize=3, color="#0072B2", alpha=0.4)
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.axvline(0, color="#999999", linewidth=0.8)
    panel.set(xlabel="nats gained, queries that choose", ylabel="nats gained, fresh queries")
    panel.set(title="gains of the tasks")


def _protocols(panel: Axes, rows: list[Row]) -> None:
    names = [name for name in PROTOCOLS if any(row[Protocols.PROTOCOL] == name for row in rows)]
    for place, name in enumerate(names):
        of_protocol = rows_where(rows, {Protocols.PROTOCOL: name})
        pairs = pairs_of(of_protocol)
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
