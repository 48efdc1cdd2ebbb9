"""Sine waves [VO23, figure 4]: losses and alignment against the training step, and the curves that learners make of a
few prompts."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.claim import Claim, Control
from analysis.figures.estimates import combine, estimate
from analysis.figures.evidence import Condition, above, below, within
from analysis.figures.learned import flat
from analysis.figures.measures import loss
from analysis.figures.words import METRICS
from analysis.metrics.columns import Metric
from analysis.tables.columns import Seeds, Table
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.regression.comparison.columns import Along, OwnTable
from experiments.regression.comparison.drawing import panels
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


def _at_end(directory: RunDirectory) -> list[Row]:
    return rows_where(table(directory, Table.SEEDS), {Seeds.EVALUATION: "test"})


def matched(directory: RunDirectory) -> list[Condition]:
    rows = _at_end(directory)
    relative = combine(lambda trained, other: trained / other - 1, loss(rows), loss(rows, LEARNED))
    return [within("trained / descent on learned features - 1", relative, 0.05)]


def aligned(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(_at_end(directory), {Seeds.LEARNER: LEARNED})
    distance = combine(lambda value: value / TARGET_SIZE, estimate(rows, Metric.PREDICTION_L2))
    return [
        above("cosine with descent on learned features", estimate(rows, Metric.COSINE), 0.95),
        below("prediction difference / root of E f²", distance, 0.1),
    ]


def needs_features(directory: RunDirectory) -> list[Condition]:
    rows = _at_end(directory)
    return [below("trained / gradient descent on x", loss(rows) / loss(rows, "gradient_descent"), 0.5)]


def both_use_features(directory: RunDirectory) -> list[Condition]:
    rows = _at_end(directory)
    return [
        below(f"loss of {words} / of gradient descent on x", loss(rows, name) / loss(rows, "gradient_descent"), 1)
        for name, words in (("transformer", "the Transformer"), (LEARNED, "descent on learned features"))
    ]


CONTROLS = (
    Control("both are better than gradient descent without features", both_use_features),
    flat("loss.transformer"),
    flat(f"loss.{LEARNED}"),
)
CLAIMS = (
    Claim(
        statement="An MLP that is learned for one step of gradient descent matches the trained Transformer's loss.",
        source=said(Work.VO23, "figure 4, caption"),
        criterion="at the end, trained loss / that of gradient descent on learned features - 1 is within 5%",
        judge=matched,
    ),
    Claim(
        statement="The two align strongly, in predictions and in their derivatives.",
        source=said(Work.VO23, "figure 4, caption"),
        criterion="at the end, the mean cosine of sensitivities is above 0.95, and the mean difference of predictions "
        "below a tenth of the root mean square of sine waves, 2.06",
        judge=aligned,
    ),
    Claim(
        statement="Linear attention behind an MLP solves what linear models cannot.",
        source=said(Work.VO23, "section 3, on deep data representations"),
        criterion="at the end, the trained loss is below half of that of gradient descent on x itself",
        judge=needs_features,
    ),
)
