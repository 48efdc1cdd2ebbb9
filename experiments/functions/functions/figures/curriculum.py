"""A decoder of functions, trained with and without a curriculum: losses on whole prompts, and errors at the end."""

import functools
from collections.abc import Callable

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.estimates import Estimate, estimate
from analysis.figures.prefixes import SUBJECT, relative
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import ByExamples, Curves, Table
from analysis.tables.select import distinct, rows_where, table
from experiments.functions.functions.results import CONTROLS as CONTROLS
from experiments.functions.functions.results import LEARNED
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: loss on whole prompts with all inputs, mean over all numbers of examples, against the training step. Right: "
    "squared error divided by that of the answer 0 at the end, against the number of examples. With the curriculum "
    "training begins with few inputs and few examples, and both grow; decoders of one seed have the same initial "
    "weights and random numbers. Means over seeds, bands one standard deviation; wide and pale: least squares."
)
NEEDS_POINTS = True
BANDS = True
PARTS = {"whole": ("whole prompts from the start", "#E69F00"), "growing": ("curriculum", "#332288")}  # label, colour
REFERENCE = "least_squares"


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 2, width=10, height=3.8)
    training, final = axes[0]
    curves, seeds = table(directory, Table.CURVES), table(directory, Table.SEEDS)
    reference = rows_where(seeds, {"part": "whole", ByExamples.LEARNER: REFERENCE})
    look = ("least squares", ROLES[REFERENCE].colour, "-", ByExamples.EXAMPLES)
    style.band(final, reference, ByExamples.ERROR, *look, least=0.1, **style.WIDE)
    for part, (label, color) in PARTS.items():
        style.band(training, rows_where(curves, {"part": part}), f"loss.{SUBJECT}", label, color, "-")
        decoder = rows_where(seeds, {"part": part, ByExamples.LEARNER: SUBJECT})
        style.band(final, decoder, ByExamples.ERROR, label, color, "-", ByExamples.EXAMPLES, least=0.1)
    training.set(xlabel="training step", ylabel="1/2 squared error, mean over prefixes")
    final.set(xlabel="examples in the context", ylabel="squared error / E f²", ylim=(3e-3, 3))
    for panel in (training, final):
        style.log(panel)
    style.legend(*axes[0])
    return figure


def _loss(directory: RunDirectory, part: str, share: float) -> Estimate:
    """Return the loss of a part at the evaluation that is nearest to a share of the steps."""
    rows = rows_where(table(directory, Table.CURVES), {"part": part})
    steps = distinct(rows, Curves.STEP)
    nearest = min(steps, key=lambda step: abs(step - share * steps[-1]))
    return estimate(rows_where(rows, {Curves.STEP: nearest}), f"loss.{SUBJECT}")


def _over_whole(number: Callable[[RunDirectory, str], Estimate]) -> Callable[[RunDirectory], Numbers]:
    """Return a number with the curriculum over that without it, minus 1."""
    return lambda directory: {"": relative(*(number(directory, part) for part in ("growing", "whole")))}


def loss_at(share: float) -> Quantity:
    return Quantity(
        f"after {share:g} of the steps: loss with the curriculum / without it - 1",
        "",
        _over_whole(functools.partial(_loss, share=share)),
    )


CLAIMS = (
    claim(
        "A curriculum speeds training up.",
        said(Work.GARG22, "section on what matters for in-context learning, curriculum"),
        (loss_at(0.5) < 0) & (loss_at(0.75) < 0),
        "losses on whole prompts",
        controls=(LEARNED,),
    ),
)
