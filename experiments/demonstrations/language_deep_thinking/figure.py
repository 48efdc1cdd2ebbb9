"""A language model reads its demonstrations again [DT]: what that gains, and how its updates fade."""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.thinking import COLOURS, draw_gains, draw_norms, draw_queries, pairs_of
from analysis.tables.select import Row, rows_where, table
from experiments.demonstrations.language_deep_thinking.claims import CLAIMS as CLAIMS
from experiments.demonstrations.language_deep_thinking.claims import CONTROLS as CONTROLS
from experiments.demonstrations.language_deep_thinking.columns import (
    AGAIN,
    BEST,
    FRESH,
    OFFSET,
    TWICE,
    VALIDATED,
    Common,
    Examples,
    Protocols,
    Table,
)
from lab.runs.directory import RunDirectory

CAPTION = (
    "Means over sets of demonstrations; bars are two standard errors over sets and test rows, bands over sets alone. "
    "Top, from the left: accuracy by the number of demonstrations, with chance (dashed) and the share of the most "
    "frequent class (dotted); accuracy gained over in-context learning, which is one iteration, by the number of "
    "iterations; gains by protocol: the number of iterations chosen on validation rows, the best on the test, the best "
    "of one half of the test on the other half, one whole re-reading, and every demonstration twice; and queries that "
    "fit into memory. Bottom: norms of the updates of keys in each layer relative to the first update, at each rate "
    "and the first momentum, with the first choice of positions (dotted: the recurrence that the lowest layer that "
    "moves follows), and at the first rate with the other one."
)
PROTOCOLS = {
    VALIDATED: "chosen on\nvalidation",
    BEST: "best on\nthe test",
    FRESH: "on fresh\nhalves",
    AGAIN: "one whole\nre-reading",
    TWICE: "examples\ntwice",
}
RATES = 3  # panels of norms
WORDS = {1.0: "positions go on", 0.0: "positions repeated"}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 4, width=16, height=7.5)
    iterations, norms = table(directory, Table.ITERATIONS), table(directory, Table.NORMS)
    offsets = [*dict.fromkeys(row.number(OFFSET) for row in iterations)]
    here = {OFFSET: offsets[0]}
    _examples(axes[0, 0], table(directory, Table.EXAMPLES))
    draw_gains(axes[0, 1], rows_where(iterations, here))
    _protocols(axes[0, 2], table(directory, Table.PROTOCOLS), here)
    draw_queries(axes[0, 3], table(directory, Table.COST))
    pairs = pairs_of(norms)
    beta = pairs[0][1]
    rates = [*dict.fromkeys(eta for eta, _ in pairs)][:RATES]
    for panel, eta in zip(axes[1], sorted(rates, reverse=True), strict=False):
        draw_norms(panel, rows_where(norms, {**here, Common.ETA: eta, Common.BETA: beta}))
        panel.set_title(f"eta {eta:g}, {WORDS[offsets[0]]}")
    for panel in axes[1, len(rates) : RATES]:
        panel.set_axis_off()
    if len(offsets) > 1:
        place = {OFFSET: offsets[1], Common.ETA: rates[0], Common.BETA: beta}
        draw_norms(axes[1, RATES], rows_where(norms, place))
        axes[1, RATES].set_title(f"eta {rates[0]:g}, {WORDS[offsets[1]]}")
    else:
        axes[1, RATES].set_axis_off()
    style.legend(*axes[0, :2], *axes[1, : len(rates)])
    return figure


def _examples(panel: Axes, rows: list[Row]) -> None:
    counts = sorted({row.number(Examples.EXAMPLES) for row in rows})
    each = [estimate(rows_where(rows, {Examples.EXAMPLES: count}), Examples.ACCURACY) for count in counts]
    means, errors = [number.mean for number in each], [_two(number) for number in each]
    panel.errorbar(counts, means, errors, fmt="o-", markersize=4, capsize=2, color=COLOURS[0], label="in context")
    panel.axhline(rows[0].number(Examples.CHANCE), color="#000000", linestyle="--", linewidth=0.8, label="chance")
    panel.axhline(rows[0].number(Examples.MAJORITY), color="#000000", linestyle=":", linewidth=0.8, label="majority")
    panel.set(xlabel="demonstrations", ylabel="accuracy")


def _protocols(panel: Axes, rows: list[Row], here: dict) -> None:
    names = [name for name in PROTOCOLS if any(row[Protocols.PROTOCOL] == name for row in rows)]
    for place, name in enumerate(names):
        of_protocol = rows_where(rows, {Protocols.PROTOCOL: name})
        if name != TWICE:
            of_protocol = rows_where(of_protocol, here)
        pairs = pairs_of(of_protocol)
        for number, (color, pair) in enumerate(zip(COLOURS * len(rows), pairs or [None], strict=False)):
            chosen = of_protocol
            if pair is not None:
                chosen = rows_where(of_protocol, {Common.ETA: pair[0], Common.BETA: pair[1]})
            gain = estimate(chosen, Protocols.GAIN)
            shift = 0.12 * (number - (len(pairs) - 1) / 2) if pairs else 0.0
            panel.errorbar(
                place + shift, gain.mean, _two(gain), fmt="o", markersize=4, capsize=2,
                color=color if pairs else "#000000",
            )  # fmt: skip
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set_xticks(range(len(names)), [PROTOCOLS[name] for name in names], fontsize="x-small", rotation=40)
    panel.set(ylabel="accuracy gained")


def _two(number: Estimate) -> float:
    """Return two standard errors; of a single set that from the test rows."""
    return 2 * (number.stderr if math.isfinite(number.stderr) else number.common)
