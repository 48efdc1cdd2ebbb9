"""A decoder trained on a pool of functions: its distance from two Bayes-optimal answers, along training."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Table
from analysis.tables.select import Row, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Squared distance of the trained decoder's answers from the Bayes-optimal ones for the pool (dMMSE) and for all "
    "functions (ridge), divided by E f², mean over all numbers of examples, against the training step. Left: on "
    "functions of the pool. Right: on new ones."
)
BANDS = True
LOOK = {"dmmse": ("from dMMSE", "#D55E00", "-"), "ridge": ("from ridge", "#0072B2", "-")}
PLACES = {"pool": "functions of the pool", "fresh": "new functions"}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=9, height=3.6)
    rows: list[Row] = table(directory, Table.CURVES)
    for panel, (place, title) in zip(axes[0], PLACES.items(), strict=True):
        for name, (label, color, line) in LOOK.items():
            style.band(panel, rows, f"distance_{place}.{name}", label, color, line)
        panel.set(title=title, xlabel="training step", ylabel="squared distance / E f²")
        style.log(panel)
    style.legend(*axes[0])
    return figure
