"""Prompts of many targets in other worlds: where older history is worth less, and where order matters."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds
from analysis.tables.columns import Table
from analysis.tables.select import rows_where, table
from experiments.clicks.dti.drawing.controls import are_flat, of_parts, of_share, use_history
from experiments.clicks.dti.drawing.measures import NEAR, STREAMING, metric
from experiments.clicks.dti.drawing.parts import draw_parts
from experiments.clicks.dti.drawing.remedies import beside
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

# Where order matters the item before gives half of what a window tells, without any click; a decoder has to use half of
# the rest, too.
SHARE = 0.75


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


def judge_gap_with_history(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    gaps = {world: metric(rows, Clicks.GAP_AUC, STREAMING, part=f"{world}_naive") for world in ("lasting", "changing")}
    return [above("gap where tastes last - where they change", gaps["lasting"] - gaps["changing"])]


def judge_order(directory: RunDirectory) -> list[Condition]:
    return [
        below("local mask / DTI- - 1, where order matters", beside(directory, "ordered_local", "ordered_naive"), -NEAR)
    ]


def judge_split(directory: RunDirectory) -> list[Condition]:
    return [
        above(
            "split window / DTI- - 1, where order matters", beside(directory, "ordered_split", "ordered_naive"), -NEAR
        )
    ]


CLAIMS = (
    Claim(
        "The mismatch of training and test grows with the worth of older history.",
        own("derived here from DTI, section 4.1"),
        "DTI-: the gap where a taste lasts for 50 interactions is above that where it lasts for 5",
        judge_gap_with_history,
        controls=of_parts("lasting_naive", "changing_naive"),
    ),
    Claim(
        "Where the order of interactions matters, encoding each by itself costs accuracy.",
        own("derived here from the local mask, with which tokens see their own interaction alone"),
        "with the local mask AUC on sliding windows is more than .2% below that of DTI-",
        judge_order,
        controls=(use_history(SHARE, "ordered_naive"), are_flat("ordered_local", "ordered_naive")),
    ),
    Claim(
        "Where the order of interactions matters, the split window costs no accuracy beside DTI-.",
        own("derived here from the masks: tokens of the second layer see what came before them"),
        "with the split window AUC on sliding windows is at most .2% below that of DTI-",
        judge_split,
        controls=of_share(SHARE, "ordered_split", "ordered_naive"),
    ),
)
