"""AUC of decoders that were trained in several ways, one row each: on sliding windows, and as they were trained."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from analysis.figures.measures import mean_over_seeds
from analysis.tables.select import Row, rows_where
from experiments.clicks.dti.results import LABELS, SLIDING, STREAMING, in_training
from experiments.clicks.tables import Clicks

# Label, filling, colour, and how far from the middle of its row, so that bars do not hide one another.
LOOKS = {
    STREAMING: ("prompts as in training", "none", "#E69F00", 0.12),
    SLIDING: ("sliding windows", "full", "#0072B2", -0.12),
}


def draw_parts(panel: Axes, rows: list[Row], parts: Sequence[str], ways: Sequence[str]) -> None:
    """Draw means over seeds with bars of two standard errors, the first part on top.

    A decoder that was trained on sliding windows has one mean, as its prompts in training were these.

    Args:
        parts: parts of the sweep, as clicks.csv has them.
        ways: the way in which each part was trained, a key of `LABELS`.
    """
    heights = -np.arange(len(parts))
    for answers, (label, fill, color, lift) in LOOKS.items():
        has_answers = [answers == SLIDING or in_training(way) == answers for way in ways]
        if not any(has_answers):
            continue
        chosen = [rows_where(rows, {"part": part, Clicks.ANSWERS: answers}) for part in np.compress(has_answers, parts)]
        means, errors = np.transpose([mean_over_seeds(each, Clicks.AUC) for each in chosen])
        panel.errorbar(
            means,
            heights[has_answers] + lift,
            xerr=errors,
            fmt="o",
            fillstyle=fill,
            color=color,
            capsize=2,
            label=label,
        )
    panel.set_yticks(heights, [LABELS[way] for way in ways])
    panel.set(xlabel="AUC")
