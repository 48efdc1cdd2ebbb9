"""One run of `online`: squared errors of trained layers, of their learners at the best constants, and Bayes'."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.means import mean_over_seeds, points
from analysis.tables.select import rows_where, table
from experiments.online.curves import LAYER
from experiments.online.online.results import LAYERS, constants, optimal, trained
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared error in units of the answer 0's, mean over seeds; bars are two standard errors. Circles: layers trained "
    "from random weights. Squares: their learners at the best constants. Line: the Bayes-optimal answer."
)


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, LAYERS)
    figure, axes = style.panels(1, 1, width=9, height=3.6)
    panel, names = axes[0, 0], [*dict.fromkeys(row.text(LAYER) for row in rows)]
    places, of_layers = np.arange(len(names)), [rows_where(rows, {LAYER: name}) for name in names]
    points(panel, places - 0.1, of_layers, trained.name, color="#0072B2", label="trained layer")
    points(panel, places + 0.1, of_layers, constants.name, fmt="s", color="#D55E00", label="its learner")
    panel.axhline(mean_over_seeds(rows, optimal.name)[0], color="#999999", linewidth=0.8, label="Bayes")
    panel.set_xticks(places, names)
    panel.set(ylabel=trained.title, ylim=(0, None))
    style.legend(panel)
    return figure
