"""The settings that are best for each way of fine-tuning: weight, layers and slope of DTI, and the rate [DTI].

It has no claims. `dti_tuned` judges what is chosen here, on other seeds and users.
"""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Table
from analysis.tables.select import Row, distinct, table
from experiments.clicks.dti.drawing.tuned import words_of
from experiments.clicks.dti.results import LABELS, OTHERS, labelled_parts
from experiments.clicks.dti.results.chosen import best, options
from lab.runs.directory import RunDirectory

CAPTION = (
    "AUC on sliding windows of users that choose, means over seeds. Left: every setting of each way of fine-tuning; "
    "the best is circled, with its settings. Right: DTI against the largest weight of its reset, with the best rate at "
    "each point: the reset in every layer (filled) or in the last alone (open), one colour per slope of ALiBi."
)
NEEDS_POINTS = True
KEEPS = (Table.CLICKS,)  # by which the settings of dti_tuned are checked
YMAX, EARLY, SLOPE = "model.ymax", "model.early", "model.slope"
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.CLICKS)
    figure, axes = style.panels(1, 2, width=12, height=4)
    parts, weights = axes[0]
    draw_all(parts, rows)
    draw_weights(weights, rows)
    return figure


def draw_all(panel: Axes, rows: list[Row]) -> None:
    """Draw all settings of each part, one row per part in the order of their labels."""
    parts = labelled_parts(rows)
    for height, part in zip(range(0, -len(parts), -1), parts, strict=True):
        tried = [each.mean for each in options(rows, part, answers=OTHERS).values()]
        _, place, number = best(rows, part)
        panel.plot(tried, [height] * len(tried), "|", color="#777777", markersize=8)
        panel.plot([number.mean], [height], "o", fillstyle="none", color="#0072B2", markersize=9)
        panel.annotate(words_of(place), (number.mean, height + 0.2), fontsize=7, ha="right")
    panel.set_yticks(range(0, -len(parts), -1), [LABELS[part] for part in parts])
    panel.set(xlabel="AUC")


def draw_weights(panel: Axes, rows: list[Row]) -> None:
    """Draw what DTI reaches at each weight of its reset with the best of the rates."""
    of_dti = [row for row in rows if row["part"] == "dti"]
    weights, slopes = sorted(distinct(of_dti, YMAX)), sorted(distinct(of_dti, SLOPE))
    for early, (slope, color) in itertools.product(sorted(distinct(of_dti, EARLY)), zip(slopes, COLOURS, strict=False)):
        means = [best(of_dti, "dti", **{YMAX: each, EARLY: early, SLOPE: slope})[-1].mean for each in weights]
        label = f"slope {slope:g}, {'every layer' if early else 'last layer'}"
        panel.plot(weights, means, "-o", color=color, fillstyle="full" if early else "none", label=label)
    panel.set(xlabel="largest weight of the reset", ylabel="AUC", xscale="log")
    panel.set_xticks(weights, [f"{each:g}" for each in weights])
    style.legend(panel)
