"""AUC below the Bayes-optimal answer from a window: along the training, and at its end; one line or row per part.

The names of the rows have the colours of the lines, in place of a legend.
"""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import points
from analysis.tables.columns import Curves, Table
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.clicks.dti.results import BEST, LABELS, in_training, labelled_parts
from experiments.clicks.tables import SLIDING, STREAMING, Clicks, Spent
from lab.runs.directory import RunDirectory

COLOURS = (
    "#000000",
    "#D55E00",
    "#882255",
    "#56B4E9",
    "#CC79A7",
    "#E69F00",
    "#0072B2",
    "#777777",
    "#009E73",
)  # of LABELS
# Label, filling, colour, and how far from the middle of its row, so that bars do not hide one another.
LOOKS = {
    STREAMING: ("prompts as in training", "none", "#E69F00", 0.12),
    SLIDING: ("sliding windows", "full", "#0072B2", -0.12),
}

CAPTION = (
    "Left: Bayes-optimal AUC from a window minus AUC on sliding windows, on the same users, against the targets that a "
    "model has seen, mean over seeds. Right: AUC at the end minus the Bayes-optimal one from a window, within each "
    "seed: on sliding windows (filled) and on prompts as in training (open), bars are two standard errors. Parts may "
    "have different numbers of seeds."
)


def draw(directory: RunDirectory) -> Figure:
    """Draw both panels."""
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    curves, ends = axes[0]
    draw_along(curves, directory)
    draw_ends(ends, directory)
    style.legend(ends)
    return figure


def draw_along(panel: Axes, directory: RunDirectory) -> None:
    """Draw one line per part against the targets that a model has seen, means over seeds."""
    curves = table(directory, Table.CURVES)
    targets_per_step = {row["part"]: row.number(Spent.PER_STEP) for row in table(directory, Table.SPENT)}
    for part, (line, color) in looks_of(labelled_parts(table(directory, Table.CLICKS))).items():
        steps, below_best = _below(rows_where(curves, {"part": part}))
        panel.plot(steps * targets_per_step[part], below_best, line, color=color, label=LABELS[part])
    panel.axhline(0, color="#999999", linewidth=0.8)
    panel.set(xscale="log", xlabel="targets seen", ylabel="AUC, Bayes from a window - model")


def looks_of(parts: list[str]) -> dict[str, tuple[str, str]]:
    """Return {part: (line, colour)}, the same in every figure; dashed where there are more parts than colours."""
    looks = dict(zip(LABELS, itertools.product(("-", "--"), COLOURS), strict=False))
    return {part: looks[part] for part in parts}


def draw_ends(panel: Axes, directory: RunDirectory) -> None:
    """Draw AUC at the end minus the Bayes-optimal answer's from a window, to the same users, of all parts.

    The difference is taken within a seed, so that parts with fewer seeds stand beside the others. Means have bars of
    two standard errors. A decoder that was trained on sliding windows has one, as its prompts in training were these.
    """
    rows = table(directory, Table.CLICKS)
    parts = labelled_parts(rows)
    heights, rows = -np.arange(len(parts)), _minus_best(rows)
    for answers, (label, fill, color, lift) in LOOKS.items():
        has_answers = [answers == SLIDING or in_training(part) == answers for part in parts]
        chosen = [rows_where(rows, {"part": part, Clicks.ANSWERS: answers}) for part in np.compress(has_answers, parts)]
        looks = {"fillstyle": fill, "color": color, "label": label}
        points(panel, heights[has_answers] + lift, chosen, Clicks.AUC, flat=True, **looks)
    panel.set_yticks(heights, [LABELS[part] for part in parts])
    for name, (_, color) in zip(panel.get_yticklabels(), looks_of(parts).values(), strict=True):
        name.set_color(color)
    panel.axvline(0, color="#555555", linestyle="--")
    panel.set(xlabel="AUC, model - Bayes from a window")
    panel.locator_params(axis="x", nbins=6)


def _minus_best(rows: list[Row]) -> list[Row]:
    """Return rows of clicks.csv with the AUC of the Bayes-optimal answer from a window subtracted."""
    best = {(row["part"], row["seed"]): row.number(Clicks.AUC) for row in rows_where(rows, {Clicks.ANSWERS: BEST})}
    return [Row({**row, Clicks.AUC: row.number(Clicks.AUC) - best[row["part"], row["seed"]]}) for row in rows]


def _below(rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return the steps of a part's curves after the first, and by how much AUC is below the best, means over seeds."""
    steps = [step for step in distinct(rows, Curves.STEP) if isinstance(step, float) and step > 0]
    lacking = [
        np.mean([row.number(f"auc.{BEST}") - row.number(f"auc.{SLIDING}") for row in rows_where(rows, {"step": step})])
        for step in steps
    ]
    return np.array(steps), np.array(lacking)
