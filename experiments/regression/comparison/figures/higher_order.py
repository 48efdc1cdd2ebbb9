"""Higher-order learners beside one and two linear layers with weights of their own: loss by the number of layers."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said
from analysis.figures.controls import flat
from analysis.figures.measures import GD
from analysis.results.declared import claim
from analysis.results.quantity import Quantity
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured, distinct, table
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.results import TRAINED, loss
from lab.runs.directory import RunDirectory

CAPTION = (
    "Loss on test episodes by the number of layers, each with weights of its own, beside learners that take as many "
    "steps with meta-trained numbers of their own for each; bars: standard errors. Inputs have one variance, or ten "
    "variances whose extremes have the ratio 10."
)
NEEDS_POINTS = True
BANDS = True
CONTROLS = reaches_descent(), flat(LOSS)

TITLES = {"equal": "inputs of one variance", "skewed": "inputs of several variances"}
PLUS, NEWTON, PRECONDITIONED, FOUR = "gd_plus_plus", "newton", "preconditioned", "four_rates"
LEARNERS = GD, NEWTON, PRECONDITIONED, PLUS, FOUR, TRAINED


def by_layers(part: str, learner: str) -> Quantity:
    """Return a learner's loss at every number of layers."""
    return loss.where(part=part).along("num_layers", learner)


def draw(directory: RunDirectory) -> Figure:
    figure, (panels,) = style.panels(1, len(TITLES), width=9, height=3.6)
    layers = distinct(table(directory, Table.SEEDS), "num_layers")
    for panel, (part, title) in zip(panels, TITLES.items(), strict=True):
        for learner in LEARNERS:
            try:
                numbers = by_layers(part, learner).numbers(directory)
            except NotMeasured:
                continue
            means, errors = zip(*((each.mean, each.stderr) for each in numbers.values()), strict=True)
            style.line(panel, learner, layers, means, errors, marker="o", markersize=4)
        panel.set(title=title, xlabel="layers, or steps", ylabel="loss", xticks=layers)
        style.log(panel)
    style.legend(*panels)
    return figure


def over(learner: str, part: str) -> Quantity:
    """Return the trained layers' loss over a learner's, minus 1, at every number of layers."""
    return by_layers(part, TRAINED) / by_layers(part, learner) - 1


CLAIMS = (
    claim(
        "One linear layer on inputs of several variances is a step of gradient descent with a preconditioner.",
        said(Work.AHN23, "theorem 1"),
        over(PRECONDITIONED, "skewed").first().within(0.02) & (over(GD, "skewed").first() < -0.02),
        "the source's inputs are Gaussian, these uniform",
    ),
    claim(
        "Two linear layers with weights of their own are GD++ that also reads the targets, with four numbers each, and "
        "not GD++.",
        own("derived here, with the learner of Vladymyrov et al. 2024"),
        over(FOUR, "equal").last().within(0.03) & (over(PLUS, "equal").last() < -0.03),
        "on inputs of one variance",
    ),
    claim(
        "Where inputs have several variances, two layers get below GD++ that reads the targets, with four numbers "
        "each.",
        own("derived here from Ahn et al. 2023, theorem 1"),
        over(FOUR, "skewed").last() < -0.01,
    ),
)
