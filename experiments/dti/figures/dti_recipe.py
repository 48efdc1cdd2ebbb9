"""Optimisers and learning rates for click models: which leave the plateau of the item alone soonest."""

from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Table
from analysis.tables.select import rows_where, table
from experiments.dti.drawing.chosen import chosen
from experiments.dti.drawing.controls import HALF, share_of_window
from experiments.dti.drawing.tuned import better, controls_of, draw_tuned
from lab.runs.directory import RunDirectory

CAPTION = (
    "DTI-, prompts of 50 targets, 2,250 steps. AUC on sliding windows, one row per optimiser. Small: every learning "
    "rate, on users that choose among them, mean over the seeds that choose. Large: the chosen one on the test users, "
    "mean over the other seeds with bars of two standard errors; it is beside it."
)
NEEDS_POINTS = True
draw = draw_tuned


def judge_plateau(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    place, judging = chosen(rows, "muon")
    share = share_of_window(rows_where(rows, {"part": "muon", **dict(place)}), "muon")
    least = min(share.by_seed[seed] for seed in judging)
    return [above("least share of what a window tells, over the seeds with Muon", exact(least), HALF)]


USED = controls_of("muon", "adamw")[:1]  # training is under way on purpose
CLAIMS = (
    Claim(
        "After as many steps click models trained with Muon are better than those trained with AdamW.",
        own("derived here from DTI, section 5.1: AdamW"),
        "DTI-, prompts of 50 targets, 2,250 steps, the rate of each chosen on other users by half of the seeds: AUC on "
        "sliding windows of the test users is above that with AdamW, over the other seeds",
        better("muon", "adamw"),
        controls=USED,
    ),
    Claim(
        "With Muon no click model stays on the plateau of the item alone.",
        own("derived here from DTI, section 5.1: AdamW"),
        "with the chosen rate every other seed uses at least half of what a window tells beyond the item, on prompts "
        "as in training",
        judge_plateau,
        controls=controls_of("muon")[:1],
    ),
)
