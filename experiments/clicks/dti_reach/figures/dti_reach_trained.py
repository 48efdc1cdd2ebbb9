"""The gradient of trained decoders in a prompt of many targets, before and after their training [DTI]."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below
from analysis.tables.select import rows_where, table
from experiments.clicks.dti_reach import figure as dti_reach
from experiments.clicks.dti_reach.columns import TRAINED, UNTRAINED, Leak, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: every theorem about every scheme and number of layers, for random weights, by the largest difference of "
    "logits in float64 (zero is drawn at 1e-17); circles: asserted to be equal, and left of the first line; diamonds: "
    "asserted to differ, and right of the second. Others: the share of each distance in the norm of the gradient of "
    "the last target's logit with respect to embeddings, for random weights, and, mean over seeds, for decoders before "
    "and after their training; the line is at the window n. White: exactly zero."
)
HALF = 0.5

draw = dti_reach.draw


def _of(directory: RunDirectory, scheme: str, column: str = Leak.LEAK, decoder: str = TRAINED) -> Estimate:
    """Return a number of the decoders of a scheme, by seed."""
    rows = rows_where(table(directory, Table.LEAKS), {Leak.DECODER: decoder, Leak.SCHEME: scheme})
    return estimate(rows, column)


def training_keeps_the_leak(directory: RunDirectory) -> list[Condition]:
    share = _of(directory, "naive") / _of(directory, "naive", decoder=UNTRAINED)
    return [above("DTI-: share of the gradient beyond n, trained / untrained", share, HALF)]


def reset_lessens_it(directory: RunDirectory) -> list[Condition]:
    return [below("share of the gradient beyond n, dti / alibi", _of(directory, "dti") / _of(directory, "alibi"), 1.0)]


def learned(*schemes: str) -> tuple[Control, ...]:
    """Return the control that trained decoders use at least half of what a window tells beyond the item alone."""

    def judge(directory: RunDirectory) -> list[Condition]:
        return [
            above(f"{each}: share of the log loss that a window saves", _of(directory, each, Leak.LEARNED), HALF)
            for each in schemes
        ]

    return (Control("of the log loss that a window saves beside the item alone, it saves at least half", judge),)


CLAIMS = (
    Claim(
        "After 2,250 steps of training DTI- still leaks.",
        own("derived here from DTI, section 4.1; the bound is this lab's, chosen after a run of one seed"),
        "scheme naive: the share of the gradient's norm beyond n is more than half of that before training",
        training_keeps_the_leak,
        controls=learned("naive"),
    ),
    Claim(
        "After 2,250 steps of training hidden-state reset lessens the leak.",
        said(Work.DTI, "section 1, paragraph on the two root causes", "to mitigate the leakage"),
        "the share of the gradient's norm beyond n is smaller with dti than with alibi, the same without reset",
        reset_lessens_it,
        controls=learned("dti", "alibi"),
    ),
)
