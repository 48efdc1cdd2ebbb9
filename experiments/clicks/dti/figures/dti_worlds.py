"""Prompts of many targets in other worlds: where older history is worth less, and where order matters."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import mean_over_seeds
from analysis.tables.columns import Table
from analysis.tables.select import rows_where, table
from experiments.clicks.dti.drawing.parts import draw_parts
from experiments.clicks.dti.results.schemes import OF_WORLDS
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

CAPTION = (
    "AUC on sliding windows (filled) and on prompts as in training (open), of decoders trained on prompts of many "
    "targets, mean over seeds; bars are two standard errors. One panel per world: a taste lasts for 50 interactions, "
    "or for 5, or a click depends on the item before. Lines: Bayes-optimal answers from a window (dashed) and from all "
    "history (dotted)."
)
NEEDS_POINTS = True
WORLDS = {  # title, and the schemes of its parts
    "lasting": ("a taste lasts for 50", ("naive",)),
    "changing": ("a taste lasts for 5", ("naive",)),
    "ordered": ("the item before matters", ("naive", "local", "split")),
}


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.CLICKS)
    figure, axes = style.panels(1, len(WORLDS), width=13, height=3)
    for panel, (world, (title, schemes)) in zip(axes[0], WORLDS.items(), strict=True):
        draw_parts(panel, rows, [f"{world}_{scheme}" for scheme in schemes], schemes)
        for answers, dashes in (("bayes_window", "--"), ("bayes_all", ":")):
            of_answers = rows_where(rows, {"part": f"{world}_naive", Clicks.ANSWERS: answers})
            level, _ = mean_over_seeds(of_answers, Clicks.AUC)
            panel.axvline(level, color="#555555", linestyle=dashes)
        panel.set(title=title)
        panel.locator_params(axis="x", nbins=4)  # more labels would touch
    style.legend(*axes[0])
    return figure


CLAIMS = OF_WORLDS
