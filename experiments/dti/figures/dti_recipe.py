"""Optimisers and learning rates for click models: which leave the plateau of the item alone soonest."""

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import exact, on_seeds
from analysis.figures.evidence import Condition, above
from analysis.tables.columns import Table
from analysis.tables.select import rows_where, table
from experiments.dti.drawing.chosen import chosen
from experiments.dti.drawing.controls import HALF, share_of_window
from experiments.dti.drawing.tuned import draw_tuned, tuned_better
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


def judge_learned(directory: RunDirectory) -> list[Condition]:
    rows = table(directory, Table.CLICKS)
    shares = []
    for part in ("adamw", "muon"):
        place, judging = chosen(rows, part)
        of_part = rows_where(rows, {"part": part, **dict(place)})
        shares.append(on_seeds(share_of_window(of_part, part), judging))
    return [above("share of what a window tells, of the better one", max(shares, key=lambda each: each.mean), HALF)]


CLAIMS = (
    Claim(
        "After as many steps click models trained with Muon are better than those trained with AdamW.",
        own('derived here from DTI, "implementation details": AdamW'),
        "DTI-, prompts of 50 targets, 2,250 steps, the rate of each chosen on other users by half of the seeds: AUC on "
        "sliding windows of the test users is above that with AdamW, over the other seeds",
        tuned_better("muon", "adamw"),
        # Training is under way on purpose, and one of the two may be on the plateau still.
        controls=(Control("one of the two uses at least half of what a window tells beyond the item", judge_learned),),
    ),
    Claim(
        "With Muon no click model stays on the plateau of the item alone.",
        own('derived here from DTI, "implementation details": AdamW'),
        "with the chosen rate each of the other seeds uses at least half of what a window tells beyond the item, on "
        "prompts as in training",
        judge_plateau,  # this is what a control would ask
    ),
)
