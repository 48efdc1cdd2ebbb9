"""Prompts of many targets in other worlds: where older history is worth less, and where order matters."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds
from analysis.tables.columns import Clicks, Table
from analysis.tables.select import rows_where, table
from experiments.dti.drawing.controls import of_parts
from experiments.dti.drawing.measures import NEAR, SLIDING, STREAMING, metric, relative
from experiments.dti.drawing.parts import draw_parts
from lab.runs.directory import RunDirectory

CAPTION = (
    "AUC on sliding windows (filled) and on prompts as in training (open), mean over seeds; bars are two standard "
    "errors. One panel per world: a taste lasts for 50 interactions, or for 5, or a click depends on the item before "
    "too. The first row is trained on sliding windows, all others on prompts of many targets. Lines: Bayes-optimal "
    "answers from a window (dashed) and from all history (dotted)."
)
NEEDS_POINTS = True
WORLDS = {
    "lasting": "a taste lasts for 50",
    "changing": "a taste lasts for 5",
    "ordered": "the item before matters",
}
SCHEMES = ("sliding", "naive", "own", "local", "split")


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.CLICKS)
    figure, axes = style.panels(1, len(WORLDS), width=13, height=3.4, sharey=True)
    for panel, (world, title) in zip(axes[0], WORLDS.items(), strict=True):
        draw_parts(panel, rows, [f"{world}_{scheme}" for scheme in SCHEMES], SCHEMES)
        for answers, dashes in (("bayes_window", "--"), ("bayes_all", ":")):
            level = mean_over_seeds(
                rows_where(rows, {"part": f"{world}_{SLIDING}", Clicks.ANSWERS: answers}), Clicks.AUC
            )[0]
            panel.axvline(level, color="#555555", linestyle=dashes)
        panel.set(title=title)
    style.legend(*axes[0])
    return figure


def judge_gap_with_history(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    gaps = {world: metric(rows, Clicks.GAP_AUC, STREAMING, part=f"{world}_naive") for world in ("lasting", "changing")}
    return [above("gap where tastes last - where they change", gaps["lasting"] - gaps["changing"])]


def judge_order(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    reference = metric(rows, part="ordered_sliding")
    return [
        below("local mask / sliding window - 1, where order matters",
              relative(metric(rows, part="ordered_local"), reference), -NEAR)
    ]  # fmt: skip


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
        "with the local mask AUC on sliding windows is more than .2% below that of the sliding window",
        judge_order,
        controls=of_parts("ordered_local", "ordered_sliding"),
    ),
)
