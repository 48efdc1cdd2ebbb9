"""Linear layers with weights of their own beside one layer that is applied as often [VO23, figures 3 and 7]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.budgets import over_budgets
from analysis.figures.cited import Work, said
from analysis.figures.controls import flat
from analysis.figures.measures import GD
from analysis.results.column import Column
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import Table
from analysis.tables.select import NotMeasured
from experiments.regression.comparison.controls import LOSS, reaches_descent
from experiments.regression.comparison.figures import depth
from experiments.regression.comparison.results import TRAINED, cosine, loss
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses by layer (bars: two standard errors), and the trained Transformer's alignment with gradient descent and "
    "GD++ against the training step; one layer that is applied several times, or layers with weights of their own. "
    "GD++ has a pair of rates for each step. Stars: losses of VO23's published code at as many layers, batches of 2048 "
    "and 5000 steps, whose GD++ has one pair of rates."
)
NEEDS_POINTS = True
BANDS = True
SOURCE = {  # {layers: losses at the end} of VO23's looped linear self-attention, measured here with the source's code
    2: {"transformer": 0.11365, GD: 0.15883, "gd_plus_plus": 0.11158},
    5: {"transformer": 0.06756, GD: 0.10961, "gd_plus_plus": 0.06539},
}
OWN, LOOPED = "own_", "looped_"  # parts; what follows is the number of layers
CONTROLS = reaches_descent(), flat(LOSS)


def draw(directory: RunDirectory) -> Figure:
    """Draw as `depth` does, with the losses of VO23's code beside a looped layer of as many layers."""
    figure = depth.draw(directory)
    for row, name in enumerate(directory.points()):
        layers = name.removeprefix(LOOPED)
        if name.startswith(LOOPED) and layers.isdigit() and int(layers) in SOURCE:
            _source(figure.axes[3 * row], int(layers))
    return figure


def _source(panel: Axes, layers: int) -> None:
    """Draw the losses of the source's code after all layers, in the colours of the learners."""
    for learner, value in SOURCE[layers].items():
        label = f"{style.LEARNERS[learner][0]}, VO23's code"
        panel.plot([layers], [value], "*", color=style.LEARNERS[learner][1], markersize=11, alpha=0.6, label=label)


def by_layers(column: Column, stack: str, learner: str) -> Quantity:
    """Return a number of the parts of one kind of stack, at every number of layers."""

    def numbers(directory: RunDirectory) -> Numbers:
        parts = column.along("part", learner).numbers(directory).items()
        of_stack = {f"{part.removeprefix(stack)} layers": each for part, each in parts if part.startswith(stack)}
        if not of_stack:
            raise NotMeasured(f"there is no part {stack}LAYERS")
        return of_stack

    return Quantity(column.label, f"{learner}, {stack.removesuffix('_')}", numbers, "at every number of layers,")


own = by_layers(loss, OWN, TRAINED)
CRITERIA = (
    claim(
        "Layers with weights of their own reach a lower loss than one layer that is applied as often.",
        said(Work.VO23, "figure 7, caption"),
        own - by_layers(loss, LOOPED, TRAINED) < 0,
        "the source has five layers beside a layer that is applied ten times",
    ),
    claim(
        "Five layers with weights of their own surpass gradient descent and align almost perfectly with GD++ of own "
        "rates for each step.",
        said(Work.VO23, "section 3, on several layers, and figure 3"),
        (by_layers(cosine, OWN, "gd_plus_plus") > 0.99) & (own - by_layers(loss, OWN, GD) < 0),
        points=OWN,
        other_points=LOOPED,  # at which the controls look, too
    ),
)
CLAIMS = over_budgets(CRITERIA, Table.SEEDS)
