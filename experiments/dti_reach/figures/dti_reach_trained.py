"""The reach of trained decoders in a prompt of many targets, before and after their training [DTI]."""

from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.tables.select import distinct, rows_where, table
from experiments.dti_reach import figure as dti_reach
from experiments.dti_reach.columns import Leak, Reach, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: theorems about decoders with random weights, as in the figure dti_reach. Others: the share of each distance "
    "in the norm of the gradient of the last target's logit with respect to embeddings, for random weights, and, mean "
    "over seeds, for decoders before and after their training; the line is at the window n. White: exactly zero."
)
UNTRAINED, TRAINED = "untrained", "trained"

draw = dti_reach.draw


def leak(directory: RunDirectory, scheme: str, decoder: str = TRAINED) -> Estimate:
    """Return the share of the gradient's norm that is beyond the window, by seed."""
    rows = rows_where(table(directory, Table.LEAKS), {Leak.DECODER: decoder, Leak.SCHEME: scheme})
    return estimate(rows, Leak.LEAK)


def reaches_as_far(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.LEAKS), {Leak.DECODER: TRAINED, Leak.SCHEME: "naive"})
    (window,) = distinct(rows_where(table(directory, Table.REACH), {Reach.DECODER: TRAINED}), Reach.WINDOW)
    (layers,) = distinct(rows, Leak.LAYERS)
    assert isinstance(window, float)
    assert isinstance(layers, float)
    reach = estimate(rows, Leak.REACH)
    beyond = Estimate({seed: value - layers * window for seed, value in reach.by_seed.items()})
    return [within("DTI-: reach - L n", beyond, 0.5)]


def training_keeps_the_leak(directory: RunDirectory) -> list[Condition]:
    share = leak(directory, "naive") / leak(directory, "naive", UNTRAINED)
    return [above("DTI-: share of the gradient beyond n, trained / untrained", share, 0.5)]


def reset_lessens_it(directory: RunDirectory) -> list[Condition]:
    with_reset, without = leak(directory, "dti"), leak(directory, "alibi")
    return [below("share of the gradient beyond n, dti / alibi", with_reset / without, 1.0)]


def learned(*schemes: str) -> tuple[Control, ...]:
    """Return the control that trained decoders use at least half of what a window tells beyond the item alone."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, Table.LEAKS), {Leak.DECODER: TRAINED})
        return [
            above(
                f"{each}: share of what a window tells",
                estimate(rows_where(rows, {Leak.SCHEME: each}), Leak.LEARNED),
                0.5,
            )
            for each in schemes
        ]

    return (Control("it uses at least half of what a window tells beyond the item", judge),)


CLAIMS = (
    Claim(
        "Trained decoders depend on what is L n interactions back.",
        said(Work.DTI, "section 4.1, eqs. 5 and 6", "as far back as"),
        "scheme naive, after training: the gradient reaches L n interactions back, and no further",
        reaches_as_far,
        controls=learned("naive"),
    ),
    Claim(
        "Training does not rid DTI- of the leak.",
        own("derived here from DTI, section 4.1; the bound is this lab's, chosen after a run of one seed"),
        "scheme naive: the share of the gradient's norm beyond n is after training more than half of that before",
        training_keeps_the_leak,
        controls=learned("naive"),
    ),
    Claim(
        "Hidden-state reset lessens the leak of trained decoders.",
        said(Work.DTI, "section 1, paragraph on the two root causes", "to mitigate the leakage"),
        "after training, the share of the gradient's norm beyond n is smaller with dti than with alibi, which is the "
        "same without reset",
        reset_lessens_it,
        controls=learned("dti", "alibi"),
    ),
)
