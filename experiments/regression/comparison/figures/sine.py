"""Sine waves [VO23, figure 4]: losses and alignment against the training step, and the curves that learners make of a
few prompts."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.controls import Control, flat
from analysis.figures.labels import METRICS
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.results.declared import claim
from analysis.tables.columns import Table
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.regression.comparison.drawing import panels
from experiments.regression.comparison.results import TRAINED, Along, OwnTable, cosine, loss, prediction
from lab.runs.directory import RunDirectory

CAPTION = (
    "A Transformer with an MLP before one layer of linear attention, and gradient descent on features that are learned "
    "for it. Losses, their cosine of sensitivities and the difference of their predictions against the training step; "
    "below, what seed 0 makes of three prompts, whose examples are dots."
)
BANDS = True

LEARNED = "learned_descent"
DRAWN = (LEARNED, "transformer")
TARGET_SIZE = 4.25**0.5  # root of E f^2
LOSSES = (*DRAWN, "gradient_descent")  # the last without features


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 3, width=11, height=6.2)
    (losses, cosine, distance), prompts = axes
    curves = table(directory, Table.CURVES)
    for name in LOSSES:
        label, color, line = style.LEARNERS[name]
        style.band(losses, curves, f"loss.{name}", label, color, line, **(style.WIDE if name == LEARNED else {}))
    losses.set(title="both learn sine waves alike", xlabel="training step", ylabel="loss, 1/2 squared error")
    style.log(losses)
    for panel, metric in ((cosine, Metric.COSINE), (distance, Metric.PREDICTION_L2)):
        panels.metric(panel, directory, metric, [LEARNED])
        panel.set_title(METRICS[metric][0])
    rows = table(directory, OwnTable.ALONG)
    for panel, prompt in zip(prompts, distinct(rows, Along.PROMPT), strict=True):
        _prompt(panel, rows_where(rows, {Along.PROMPT: prompt}))
        panel.set_title(f"prompt {prompt + 1:g}")
    style.legend(losses, *prompts)
    return figure


def _prompt(panel: Axes, rows: list[Row]) -> None:
    def points(learner: str) -> tuple[list[float], list[float]]:
        chosen = rows_where(rows, {Along.LEARNER: learner})
        return numbers(chosen, Along.X), numbers(chosen, Along.ANSWER)

    panel.plot(*points("target"), "-", color="#000000", linewidth=1, label="sine wave")
    for name in DRAWN:
        label, color, line = style.LEARNERS[name]
        panel.plot(*points(name), line, color=color, label=label, **(style.WIDE if name == LEARNED else {}))
    panel.plot(*points("context"), "o", color="#000000", markersize=4, label="examples")
    panel.set(xlabel="x", ylabel="f(x)")


over_x = {learner: loss[learner] / loss[GD] for learner in DRAWN}  # which descends on x itself
CONTROLS = (
    Control("both are better than gradient descent without features", (over_x[TRAINED] < 1) & (over_x[LEARNED] < 1)),
    flat("loss.transformer"),
    flat(f"loss.{LEARNED}"),
)
CLAIMS = (
    claim(
        "An MLP that is learned for one step of gradient descent matches the trained Transformer's loss.",
        said(Work.VO23, "figure 4, caption"),
        (loss[TRAINED] / loss[LEARNED] - 1).within(0.05),
    ),
    claim(
        "The two align strongly, in predictions and in their derivatives.",
        said(Work.VO23, "figure 4, caption"),
        (cosine[LEARNED] > 0.95)
        & (prediction[LEARNED].map("{} / root of E f²", lambda distance: distance / TARGET_SIZE) < 0.1),
        "the root mean square of sine waves is 2.06",
    ),
    claim(
        "Linear attention behind an MLP solves what linear models cannot.",
        said(Work.VO23, "section 3, on deep data representations"),
        over_x[TRAINED] < 0.5,
        "gradient descent on x itself",
    ),
)
