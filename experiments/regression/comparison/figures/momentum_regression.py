"""A moving average of the values beside linear attention, with one and two layers: losses, and which descent the
predictions of two layers are near to."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.controls import flat
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.results.column import HALF, LAST, Choice
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every, Quantity
from analysis.tables.columns import Table
from analysis.tables.select import Row, rows_where, table
from experiments.regression.comparison.controls import LOSS, is_descent, reaches_descent
from experiments.regression.comparison.results import TRAINED, prediction, training_loss
from lab.runs.directory import RunDirectory

CAPTION = (
    "Top: losses against the training step with one and with two layers, of linear attention and of linear attention "
    "with a moving average of the values, which start from the same weights and see the same episodes of each seed; "
    "and of as many steps of descent. Below: how far the predictions of two layers are from those of two steps of "
    "gradient descent, of heavy-ball descent and of GD++."
)
NEEDS_POINTS = True
BANDS = True
LINEAR, MOMENTUM, BALL = "linear", "momentum", "heavy_ball"
LABELS = {LINEAR: ("linear attention", "#0072B2", "-"), MOMENTUM: ("with momentum", "#D55E00", "--")}
DESCENTS = (GD, BALL, "gd_plus_plus")
DEPTHS = (1, 2)
DISTANCE = Metric.PREDICTION_L2
CONTROLS = is_descent(part="linear_1"), reaches_descent(part="linear_2"), flat(LOSS)
LAB = own("derived here from Dai et al., momentum-based attention, which is about language models")


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, Table.CURVES)
    figure, axes = style.panels(2, 2, width=9, height=6.4)
    for depth, panel in zip(DEPTHS, axes[0], strict=True):
        _losses(panel, {kind: _part(rows, kind, depth) for kind in LABELS})
        panel.set_title(f"{_layers(depth)}: loss")
    for kind, panel in zip(LABELS, axes[1], strict=True):
        for learner in DESCENTS:
            label, color, line = style.LEARNERS[learner]
            style.band(panel, _part(rows, kind, 2), f"{learner}.{DISTANCE}", label, color, line)
        panel.set(title=f"{_layers(2)}, {kind}: distance", xlabel="training step", ylabel="prediction difference (L2)")
        panel.set_yscale("log")
    style.one_scale(axes[1])
    for panel in axes[1]:
        style.log(panel)
    style.legend(*axes.flat)
    return figure


def _losses(panel: Axes, of_kind: dict[str, list[Row]]) -> None:
    linear = of_kind[LINEAR]
    for learner in DESCENTS:
        if f"loss.{learner}" in linear[0]:
            label, color, line = style.LEARNERS[learner]
            style.band(panel, linear, f"loss.{learner}", label, color, line, **(style.WIDE if learner == GD else {}))
    for kind, rows in of_kind.items():
        label, color, line = LABELS[kind]
        style.band(panel, rows, "loss.transformer", label, color, line)
    panel.set(xlabel="training step", ylabel="loss, 1/2 squared error")
    style.log(panel)


def _layers(depth: int) -> str:
    return "one layer" if depth == 1 else "two layers"


def _part(rows: list[Row], kind: str, depth: int) -> list[Row]:
    return rows_where(rows, {"part": f"{kind}_{depth}"})


def lower(step: Choice) -> Every:
    """Return the bounds of a loss with momentum that is below that without at a step, at each depth."""

    def below(depth: int) -> Bounds:
        momentum, linear = (
            training_loss.where(part=f"{kind}_{depth}", step=step)[TRAINED] for kind in (MOMENTUM, LINEAR)
        )
        return momentum - linear < 0

    return below(1) & below(2)


def distance(kind: str, learner: str) -> Quantity:
    """Return the distance of the predictions of two layers from those of a descent."""
    return prediction.where(part=f"{kind}_2")[learner]


CLAIMS = (
    claim("Attention with momentum learns faster than attention alone.", LAB, lower(HALF)),
    claim("Attention with momentum ends at a lower loss.", LAB, lower(LAST)),
    claim(
        "An optimiser's momentum appears: two layers with a moving average of the values do heavy-ball descent.",
        LAB,
        (distance(MOMENTUM, BALL) - distance(MOMENTUM, GD) < 0)
        & (distance(MOMENTUM, BALL) - distance(LINEAR, BALL) < 0),
    ),
)
