"""Prompts of many targets where a click depends on an item far back: a window tells of few interactions [DTI].

Of the n interactions of a window only n - lag are seen with the item that each depends on, so what is older is worth
more than elsewhere, and what is learned from it is of no use on sliding windows.
"""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above, below
from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.dti.drawing.along import draw_by_targets_and_time
from experiments.dti.drawing.beside_sliding import claim_of_leak, claims_beside_sliding
from experiments.dti.drawing.controls import are_flat, of_parts, use_history
from experiments.dti.drawing.measures import NEAR, metric, relative
from experiments.dti.drawing.remedies import better, claims_of_remedies, inside
from lab.runs.directory import RunDirectory

CAPTION = (
    "A click depends on the item 6 interactions before. Along the training: Bayes-optimal AUC from a window minus AUC "
    "on sliding windows, on the same users, mean over seeds. Left: against the targets that a model has seen. Middle: "
    "against the seconds of the processor that this took, of all threads. Right: AUC at the end minus the "
    "Bayes-optimal one from a window, within each seed: on sliding windows (filled) and on prompts as in training "
    "(open), bars are two standard errors."
)
NEEDS_POINTS = True
draw = draw_by_targets_and_time


def _statement(words: str) -> str:
    return f"Where a click depends on an item far back, {inside(words)}."


def judge_four_layers(directory: RunDirectory) -> list[Condition]:
    return [above("split window, AUC with 4 layers / with 3 - 1", _beside(directory, "deep_split", "split"), -NEAR)]


def judge_two_layers(directory: RunDirectory) -> list[Condition]:
    share = _beside(directory, "shallow_split", "shallow_naive")
    return [below("2 layers, AUC of the split window / of DTI- - 1", share, -NEAR)]


def _beside(directory: RunDirectory, part: str, other: str) -> Estimate:
    """Return AUC of a part on sliding windows / that of another - 1."""
    rows = table(directory, Table.CLICKS)
    return relative(metric(rows, part=part), metric(rows, part=other))


CLAIMS = (
    *claims_beside_sliding(_statement),
    Claim(
        _statement("DTI is better than DTI-"),
        said(Work.DTI, "section 5.2 and table 1", "the proposed solutions for the two bottlenecks are effective"),
        "prompts of 50 targets: AUC on sliding windows is above that of DTI-",
        better("dti", "naive"),
        controls=of_parts("dti", "naive"),
    ),
    claim_of_leak(_statement),
    *claims_of_remedies(_statement),
    Claim(
        _statement("four layers, which do not divide the window, split it as well as three"),
        own("derived here from the masks: the windows of the layers add up to n"),
        "prompts of 50 targets: AUC on sliding windows is at most .2% below that of the split window with three layers",
        judge_four_layers,
        controls=of_parts("deep_split", "split"),
    ),
    Claim(
        _statement("the split window of two layers is below DTI- of two layers"),
        own("derived here from the masks: with two layers a token has seen itself alone when [SUM]s see it"),
        "prompts of 50 targets: AUC on sliding windows is more than .2% below that of DTI- with two layers",
        judge_two_layers,
        controls=(use_history("shallow_naive"), are_flat("shallow_naive", "shallow_split")),
    ),
)
