"""Choosing a set of demonstrations with more classes, where a rank says more than right and wrong."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.axes import scale
from analysis.figures.cited import own
from analysis.figures.controls import Control
from analysis.figures.labels import part_in_words
from analysis.figures.means import line
from analysis.results.declared import claim
from analysis.tables.select import distinct, rows_where, table
from experiments.demonstrations.demonstration_choice import results
from experiments.demonstrations.demonstration_choice.results import LABELS, QUERIES, SCORE, better_than, lead, learned
from lab.runs.directory import RunDirectory

CAPTION = (
    "One colour per number of classes; mean over seeds, bars are two standard errors. Left and middle: test accuracy "
    "with the set of demonstrations that Effect_D chooses, minus that with the choice of accuracy, or of log-loss, "
    "against the number of validation queries. Right: Spearman's correlation of either score with test accuracy."
)
NEEDS_POINTS = True
COLOURS = ("#0072B2", "#D55E00", "#CC79A7", "#56B4E9")
EIGHT, SIXTEEN = "classes_8", "classes_16"  # the parts that the claims are about


def draw(directory: RunDirectory) -> Figure:
    choice = table(directory, results.CHOICE)
    figure, axes = style.panels(1, 3, width=12, height=3.8)
    *leads, correlation = axes[0]
    for part, color in zip(_parts(directory), COLOURS * len(choice), strict=False):
        label, rows = part_in_words(part), rows_where(choice, {"part": part})
        for panel, score in zip(leads, ("accuracy", "loss"), strict=True):
            line(panel, rows_where(rows, {SCORE: score}), QUERIES, lead.name, fmt="-o", color=color, label=label)
            panel.set(ylabel=f"test accuracy, Effect_D - {LABELS[score]}")
        for score, dashes in (("effect", "-o"), ("accuracy", ":s")):
            of_score, name = rows_where(rows, {SCORE: score}), f"{label}, by {LABELS[score]}"
            line(correlation, of_score, QUERIES, results.spearman.name, label=name, fmt=dashes, color=color)
    for panel in leads:
        panel.axhline(0, color="#999999", linewidth=0.8)
    correlation.set(ylabel="Spearman, score and test accuracy")
    for panel in axes[0]:
        scale(panel, distinct(choice, QUERIES))
        panel.set(xlabel="validation queries")
    style.legend(*axes[0])
    return figure


def _parts(directory: RunDirectory) -> list[str]:
    """Return the parts classes_4, classes_8, ... of a sweep, fewest classes first."""
    parts = distinct(table(directory, results.CHOICE), "part")
    return sorted(parts, key=lambda part: int(part.rpartition("_")[2]))


eight, sixteen = (results.bound_accuracy.where(part=part) for part in (EIGHT, SIXTEEN))
CONTROLS = (Control(results.LEARN, learned(eight) & learned(sixteen)),)
CLAIMS = tuple(
    claim(
        f"With 8 and 16 classes Effect_D chooses better demonstrations than {LABELS[score]}.",
        own(results.HERE),
        better_than(score, lead.where(part=EIGHT)) & better_than(score, lead.where(part=SIXTEEN)),
    )
    for score in ("accuracy", "loss")
)
