"""Momentum beside softmax attention [DAI]: the loss above its floor, with and without it."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import band, mean_over_seeds
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.duals.momentum_attention import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Cross-entropy above that of the Bayes-optimal answer, mean over seeds; bands and bars are two standard errors. "
    "Decoders of one seed start from the same weights and see the same sequences. Left: against the training step, one "
    "panel per kind of positions: softmax attention alone, with a moving average of the values (eta given or learned), "
    "and with the value of the token before alone (shift); dotted: the best answer from how often each symbol was "
    "seen. Right: the same at half of the steps and at the end, with "
    "the kinds of positions one after the other."
)
NAMED = {  # label, colour, line
    results.NONE: ("attention alone", "#000000", "-"),
    results.LEARNED: ("learned eta", "#CC79A7", "-."),
    results.SHIFT: ("shift", "#D55E00", "--"),
}
COLOURS = ("#56B4E9", "#0072B2", "#009E73", "#E69F00", "#999933", "#882255")  # of fixed etas
GAP = 1.5  # between the bars of two kinds of positions


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, results.CURVES)
    positions = distinct(rows, results.POSITIONS)
    figure, axes = style.panels(1, len(positions) + 2, width=13, height=3.6)
    *curves, half, end = axes[0]
    for panel, kind in zip(curves, positions, strict=True):
        _curves(panel, rows_where(rows, {results.POSITIONS: kind}))
        panel.set_title(f"positions: {kind}")
    last = max(numbers(rows, results.STEP))
    for panel, moment, step in ((half, "half of the steps", last / 2), (end, "end", last)):
        _bars(panel, rows_where(rows, {results.STEP: step}), positions)
        panel.set_title(moment)
    style.legend(*axes[0])
    return figure


def _look(variants: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """Return {variant: (label, colour, line)}: attention alone, fixed etas from the smallest on, then the others."""
    fixed = sorted((name for name in variants if name not in NAMED), key=lambda name: float(name.split("=")[1]))
    colours = COLOURS * (1 + len(fixed) // len(COLOURS))
    etas = {
        name: (f"average, {name.replace('=', ' ')}", color, "-") for name, color in zip(fixed, colours, strict=False)
    }
    first, *others = NAMED.items()
    return dict([first, *etas.items(), *others])


def _curves(panel: Axes, rows: list[Row]) -> None:
    later = [row for row in rows if row.number(results.STEP) > 0]
    for variant, (label, color, line) in _look(distinct(rows, results.VARIANT)).items():
        chosen = rows_where(later, {results.VARIANT: variant})
        band(panel, chosen, results.STEP, results.excess.name, line, color=color, label=label)
    panel.axhline(0, color="#999999", linewidth=0.8)
    by_frequencies, least = (
        float(np.mean(numbers(rows, column.name))) for column in (results.frequencies, results.floor)
    )
    panel.axhline(by_frequencies - least, color="#999999", linestyle=":")
    panel.set(xlabel="training step", ylabel=results.excess.title)


def _bars(panel: Axes, rows: list[Row], positions: list[str]) -> None:
    look = _look(distinct(rows, results.VARIANT))
    centres = []
    for group, kind in enumerate(positions):
        first = group * (len(look) + GAP)
        centres.append(first + (len(look) - 1) / 2)
        for place, (variant, (label, color, _)) in enumerate(look.items()):
            chosen = rows_where(rows, {results.POSITIONS: kind, results.VARIANT: variant})
            mean, error = mean_over_seeds(chosen, results.excess.name)
            panel.bar(first + place, mean, yerr=error, color=color, capsize=2, label=label)
    panel.set_xticks(centres, positions)
    panel.set(xlabel="positions", ylabel=results.excess.title)
