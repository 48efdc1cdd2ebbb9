"""One run of `dti`: the loss along training, and AUC at its end beside Bayes-optimal answers."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.estimates import estimate
from analysis.tables.columns import Curves, Table
from analysis.tables.select import distinct, rows_where, table
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: cross-entropy on test users against the training step, mean over seeds; sliding: one target per prompt, "
    "streaming: as many as in training. Right: AUC at the end, one point per seed, with its standard error over "
    "users. Bayes: the best answers from the item alone, from a window of n interactions, and from all of them."
)
LOOKS = {  # label, colour
    "sliding": ("sliding", "#0072B2"),
    "streaming": ("streaming", "#E69F00"),
    "bayes_item": ("Bayes, item alone", "#999999"),
    "bayes_window": ("Bayes, window", "#555555"),
    "bayes_all": ("Bayes, all", "#000000"),
}


def draw(directory: RunDirectory) -> Figure:
    curves, clicks = table(directory, Table.CURVES), table(directory, Table.CLICKS)
    figure, axes = style.panels(1, 2, width=9, height=3.6)
    losses, ends = axes[0]
    steps = sorted({row[Curves.STEP] for row in curves})
    for name in ("sliding", "streaming"):
        label, color = LOOKS[name]
        means = [np.mean([row.number(f"loss.{name}") for row in curves if row[Curves.STEP] == step]) for step in steps]
        losses.plot(steps, means, "-o", color=color, label=label)
    losses.set(xlabel="training step", ylabel="cross-entropy (nats)")
    names = [name for name in LOOKS if name in distinct(clicks, Clicks.ANSWERS)]
    for place, name in enumerate(names):
        rows = rows_where(clicks, {Clicks.ANSWERS: name})
        spread = place + 0.3 * (np.arange(len(rows)) / max(len(rows) - 1, 1) - 0.5)
        ends.errorbar(
            spread,
            [row[Clicks.AUC] for row in rows],
            [row[f"{Clicks.AUC}.stderr"] for row in rows],
            fmt="o",
            color=LOOKS[name][1],
        )
        ends.plot([place - 0.3, place + 0.3], [estimate(rows, Clicks.AUC).mean] * 2, color=LOOKS[name][1])
    ends.set_xticks(range(len(names)), [LOOKS[name][0].replace(", ", ",\n") for name in names])
    ends.set(ylabel="AUC")
    style.legend(losses)
    return figure
