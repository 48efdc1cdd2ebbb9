"""Attention against gradient descent: the error of each identity beside its tolerance."""

import itertools
from collections import Counter

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, table
from experiments.duals.dual_form import identities
from lab.runs.directory import RunDirectory

CAPTION = (
    "Largest difference over random problems, relative where numbers exceed 1, in 64-bit numbers, between attention "
    "and gradient descent: linear attention over error signals for three losses, and softmax attention as one step of "
    "its dual model, in kernel form and in features. Circles: both sides are asserted to be equal, and the error must "
    "be left of the tolerance. Diamonds: the two functions are asserted to be different, and the difference, or the "
    "share of an effect that is lost, must be right of the bound. Squares: approximations, whose error a theorem "
    "bounds. Crosses: the statement does not hold."
)

RELATIONS = {  # marker, colour, label, label of the tolerance
    "equal": ("o", "#0072B2", "equal: error", "equal: tolerance"),
    "different": ("D", "#D55E00", "different: distance or share", "different: smallest distance allowed"),
    "approximate": ("s", "#009E73", "approximate: error", "approximate: bound"),
}
SMALLEST = 1e-17  # where an error of exactly zero is drawn


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, identities.IDENTITIES)
    by_topic = itertools.groupby(rows, key=lambda row: row.text(identities.TOPIC))
    topics = {topic: list(group) for topic, group in by_topic}
    figure, axes = style.panels(
        len(topics),
        1,
        width=8,
        height=1.2 + 0.2 * len(rows) + 0.4 * len(topics),
        sharex=True,
        gridspec_kw={"height_ratios": [len(group) + 1 for group in topics.values()]},
    )
    for panel, (topic, group) in zip(axes[:, 0], topics.items(), strict=True):
        _panel(panel, topic, group)
    axes[-1, 0].set_xlabel("largest difference")
    style.legend(*axes[:, 0])
    return figure


def _panel(panel: Axes, topic: str, rows: list[Row]) -> None:
    for height, row in enumerate(rows):
        marker, color, label, bound = RELATIONS[row.text(identities.RELATION)]
        measured = max(row.number(identities.error.name), SMALLEST)
        tolerance = row[identities.TOLERANCE]
        panel.plot([measured, tolerance], [height, height], color=color, linewidth=0.8, alpha=0.5)
        panel.plot(
            measured, height, marker if row[identities.HOLDS] else "x", color=color, label=label, linestyle="none"
        )
        panel.plot(tolerance, height, "|", color=color, label=bound, markersize=9, markeredgewidth=2, linestyle="none")
    panel.set_title(topic, loc="left", fontsize="medium")
    panel.set(xscale="log", ylim=(len(rows) - 0.5, -0.5))
    panel.set_yticks(range(len(rows)), _names(rows), fontsize="small")


def _names(rows: list[Row]) -> list[str]:
    """Return the identity of each row, with its variant if there are several."""
    variants = Counter(row[identities.IDENTITY] for row in rows)
    names = [row.text(identities.IDENTITY).replace("_", " ") for row in rows]
    several = [f": {row[identities.VARIANT]}" if variants[row[identities.IDENTITY]] > 1 else "" for row in rows]
    return [name + variant for name, variant in zip(names, several, strict=True)]
