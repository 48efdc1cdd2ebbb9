"""Prompts of many targets where a click depends on an item far back: a window tells of few interactions [DTI].

Of the n interactions of a window only n - lag are seen with the item that each depends on, so what is older is worth
about twice as much as in the world of the other experiments.
"""

import functools

from analysis.figures.cited import own, stronger
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, above, below
from experiments.clicks.dti.drawing.along import LINES_AND_ENDS, draw_by_targets_and_time
from experiments.clicks.dti.drawing.beside_sliding import (
    claim_of_leak,
    claim_of_own,
    claim_of_solutions,
    claims_beside_sliding,
)
from experiments.clicks.dti.drawing.controls import are_flat, of_share, use_history
from experiments.clicks.dti.drawing.measures import NEAR
from experiments.clicks.dti.drawing.remedies import beside, inside
from lab.runs.directory import RunDirectory

CAPTION = f"A click depends on the item 6 interactions before. {LINES_AND_ENDS}"
NEEDS_POINTS = True
draw = draw_by_targets_and_time
# Of what a window tells beyond the item, the item that a click depends on gives .61 without any click, so a decoder has
# to use half of the rest, too.
SHARE = 0.8
CONTROLS = functools.partial(of_share, SHARE)


def _statement(words: str) -> str:
    return f"Where a click depends on an item far back, {inside(words)}."


def judge_four_layers(directory: RunDirectory) -> list[Condition]:
    return [above("AUC of the split window with 4 layers / with 3 - 1", beside(directory, "deep_split", "split"))]


def judge_two_layers(directory: RunDirectory) -> list[Condition]:
    share = beside(directory, "shallow_split", "shallow_naive")
    return [below("2 layers, AUC of the split window / of DTI- - 1", share, -NEAR)]


CLAIMS = (
    *claims_beside_sliding(_statement, stronger, controls=CONTROLS),
    claim_of_own(_statement, CONTROLS),
    claim_of_solutions(_statement, controls=CONTROLS),
    claim_of_leak(_statement, CONTROLS),
    Claim(
        _statement("a split window with four layers, whose tokens see that far, is above one with three"),
        own("derived here from the masks: before the last layer tokens have seen 6 interactions back, or 5"),
        "prompts of 50 targets: AUC on sliding windows is above that of the split window with three layers",
        judge_four_layers,
        controls=CONTROLS("deep_split"),
    ),
    Claim(
        _statement("a split window with two layers is below DTI- with two layers"),
        own("derived here from the masks: with two layers a token has seen itself alone when [SUM]s see it"),
        "prompts of 50 targets: AUC on sliding windows is more than .2% below that of DTI- with two layers",
        judge_two_layers,
        controls=(use_history(SHARE, "shallow_naive"), are_flat("shallow_naive", "shallow_split")),
    ),
)
