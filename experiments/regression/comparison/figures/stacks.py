"""Linear layers with weights of their own beside one layer that is applied as often [VO23, figures 3 and 7]."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.budgets import over_budgets
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim
from analysis.figures.estimates import estimate
from analysis.figures.evidence import Condition, above, below
from analysis.figures.learned import flat
from analysis.figures.measures import GD, loss
from analysis.figures.published import LOSSES
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import Row, group_by, rows_where, table
from experiments.regression.comparison.claims.controls import LOSS, reaches_descent
from experiments.regression.comparison.figures import depth
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses by layer (bars: two standard errors), and the trained Transformer's alignment with gradient descent and "
    "GD++ against the training step; one layer that is applied several times, or layers with weights of their own. "
    "GD++ has a pair of rates for each step. Stars: losses of VO23's published code at as many layers, batches of 2048 "
    "and 5000 steps, whose GD++ has one pair of rates."
)
NEEDS_POINTS = True
BANDS = True
OWN, LOOPED = "own_", "looped_"  # parts; what follows is the number of layers
CONTROLS = reaches_descent(), flat(LOSS)


def draw(directory: RunDirectory) -> Figure:
    """Draw as `depth` does, with the losses of VO23's code beside a looped layer of as many layers."""
    figure = depth.draw(directory)
    for row, name in enumerate(directory.points()):
        layers = name.removeprefix(LOOPED)
        if name.startswith(LOOPED) and layers.isdigit() and (int(layers), GD) in LOSSES:
            _source(figure.axes[3 * row], int(layers))
    return figure


def _source(panel: Axes, layers: int) -> None:
    """Draw the losses of the source's code after all layers, in the colours of the learners."""
    for learner in ("transformer", GD, "gd_plus_plus"):
        label = f"{style.LEARNERS[learner][0]}, VO23's code"
        value = LOSSES[layers, learner].low
        panel.plot([layers], [value], "*", color=style.LEARNERS[learner][1], markersize=11, alpha=0.6, label=label)


def _by_part(directory: RunDirectory) -> dict[str, list[Row]]:
    return group_by(rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test"}), "part")


def own_weights_are_better(directory: RunDirectory) -> list[Condition]:
    """Compare losses within seeds, as both kinds of stacks have the same test episodes."""
    parts = _by_part(directory)
    layers = [part.removeprefix(OWN) for part in parts if part.startswith(OWN) and LOOPED + part[len(OWN) :] in parts]
    return [
        below(f"{count} layers: loss with own weights - looped", loss(parts[OWN + count]) - loss(parts[LOOPED + count]))
        for count in layers
    ]


def own_weights_align(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for part, rows in _by_part(directory).items():
        if part.startswith(OWN):
            cosine = estimate(rows_where(rows, {Seeds.LEARNER: "gd_plus_plus"}), Metric.COSINE)
            conditions.append(above(f"{part}: cosine with GD++", cosine, 0.99))
            conditions.append(below(f"{part}: loss - gradient descent's", loss(rows) - loss(rows, GD)))
    return conditions


CRITERIA = (
    Claim(
        "Layers with weights of their own reach a lower loss than one layer that is applied as often.",
        said(Work.VO23, "figure 7, caption"),
        "at the end, for each number of layers, the loss with own weights is below that of the looped layer (the "
        "source has five layers beside a layer that is applied ten times)",
        own_weights_are_better,
    ),
    Claim(
        "Layers with weights of their own surpass gradient descent and align almost perfectly with GD++ of own rates "
        "for each step.",
        said(Work.VO23, "section 3, on several layers, and figure 3"),
        "at the end, for each number of layers, the mean cosine of the sensitivities with GD++ is above 0.99, and the "
        "loss is below that of as many steps of gradient descent",
        own_weights_align,
        points=OWN,
        other_points=LOOPED,  # at which the controls look, too
    ),
)
CLAIMS = over_budgets(CRITERIA, Table.SEEDS)
