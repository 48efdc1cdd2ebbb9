"""Layers that are online learners, on tasks that tell them apart: errors, influence of examples, rates and decays."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import mean_over_seeds, means
from analysis.results.column import Column
from analysis.tables.select import Row, group_by, table
from experiments.online.curves import LAYER, PART
from experiments.online.online import results
from lab.runs.directory import RunDirectory

CAPTION = (
    "Top: squared error above the Bayes-optimal answer's, in units of the answer 0's error, mean over seeds; of layers "
    "trained from random weights (left) and of their learners at the best constants (right). Below: root mean square "
    "of the derivative of the answer in the target of the example at each place, and rates and decays by place; lines: "
    "trained layers, dotted: their learners."
)
NEEDS_POINTS = True
INFLUENCE = ("plain", "drift")
LOOK = {"linear": "#999999", "delta": "#0072B2", "gated": "#D55E00", "implicit": "#009E73", "mesa": "#CC79A7"}


def draw(directory: RunDirectory) -> Figure:
    errors, places = table(directory, results.LAYERS), table(directory, results.PLACES)
    figure, axes = style.panels(3, 2, width=11, height=10.5, gridspec_kw={"height_ratios": [1.25, 1, 1]})
    _errors(axes[0, 0], errors, results.trained, "trained layers, error above Bayes")
    _errors(axes[0, 1], errors, results.constants, "their learners at the best constants, error above Bayes")
    for panel, part in zip(axes[1], INFLUENCE, strict=True):
        for name, color in LOOK.items():
            _by_place(panel, _chosen(places, part, name), results.influence.name, name, color)
        panel.set(title=f"influence of an example on the answer, {part}", xlabel="place in the context", ylim=(0, None))
        panel.set_ylabel("influence")
    rates = {("plain", "places"): "#0072B2", ("noisy", "places"): "#D55E00", ("drift", "places"): "#009E73"}
    for (part, name), color in rates.items():
        _by_place(axes[2, 0], _chosen(places, part, name), "rate", f"{part}, free rates", color)
    axes[2, 0].set(
        title="rate of the delta rule by place", xlabel="place in the context", ylabel="rate", ylim=(0, None)
    )
    decays = {("plain", "gated"): "#0072B2", ("noisy", "gated"): "#D55E00", ("drift", "gated"): "#009E73",
              ("switching", "gated"): "#CC79A7"}  # fmt: skip
    for (part, name), color in decays.items():
        _by_place(axes[2, 1], _chosen(places, part, name), "decay", f"{part}, gated", color)
    axes[2, 1].set(title="decay of the gated delta rule by place", xlabel="place in the context", ylabel="decay")
    for panel in axes[1:].flat:
        if panel.lines:
            panel.legend(fontsize="small", ncols=2)
    return figure


def _errors(panel: Axes, rows: list[Row], column: Column, title: str) -> None:
    parts, names = ([*dict.fromkeys(row.text(key) for row in rows)] for key in (PART, LAYER))
    values_LxP = np.full((len(names), len(parts)), np.nan)
    for (i, name), (j, part) in ((a, b) for a in enumerate(names) for b in enumerate(parts)):
        chosen = _chosen(rows, part, name)
        values_LxP[i, j] = mean_over_seeds(chosen, column.name)[0] - mean_over_seeds(chosen, results.optimal.name)[0]
    panel.imshow(values_LxP, cmap="Blues", vmin=0, vmax=0.8, aspect="auto")
    for (i, j), value in np.ndenumerate(values_LxP):
        if np.isfinite(value):
            color = "white" if value > 0.45 else "black"
            panel.text(j, i, f"{value:.3f}", ha="center", va="center", color=color, fontsize="small")
    panel.set_xticks(range(len(parts)), parts)
    panel.set_yticks(range(len(names)), names)
    panel.grid(False)
    panel.set_title(title)


def _chosen(rows: list[Row], part: str, layer: str) -> list[Row]:
    """Return the rows of a layer on a task; none where the sweep has left it out."""
    return [row for row in rows if (row[PART], row[LAYER]) == (part, layer)]


def _by_place(panel: Axes, rows: list[Row], name: str, label: str, color: str) -> None:
    for prefix, line in (("", "-"), (results.CONSTANTS, ":")):
        if not rows or not isinstance(rows[0][f"{prefix}{name}"], float):
            continue
        by_place = group_by(rows, results.PLACE)
        of_places, _ = means([*by_place.values()], f"{prefix}{name}")
        panel.plot([*by_place], of_places, line, color=color, label=None if prefix else label)
