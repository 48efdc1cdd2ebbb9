"""Learning in context against fine-tuning of a language model [DAI]: accuracies, and measures with their nulls."""

import functools
import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.estimates import estimate
from analysis.figures.transfer import MEASURES, draw_arms, draw_layers, draw_points
from analysis.tables.select import Row, distinct, rows_where, table
from experiments.demonstrations.language_finetune.claims import CLAIMS as CLAIMS
from experiments.demonstrations.language_finetune.claims import CONTROLS as CONTROLS
from experiments.demonstrations.language_finetune.columns import Accuracy, Published, Rates, Table, Transfer
from lab.runs.directory import RunDirectory

CAPTION = (
    "Means over sets of demonstrations; bars are two standard errors over sets and test rows. Top, from the left: "
    "accuracy without demonstrations, after fine-tuning on those of a set, on other ones and on shuffled labels, and "
    "in context, with what the source printed of GPT of 1.3 and 2.7 billion parameters where it has the data set; "
    "Rec2FTP, the share of rows that are right in context among those that are wrong zero-shot and right after "
    "fine-tuning, beside its nulls; accuracy on validation rows by the rate of fine-tuning, and how many sets chose "
    "it; and Kendall's tau of attention and of the inputs of attention. Bottom, by layer: similarity of the updates of "
    "attention's output, as they are and centred; of attention maps; and of the orders in which demonstrations are "
    "attended to, as the source's program has them."
)
LEARNERS = {"zero_shot": "zero-\nshot", "fine_tuned": "fine-\ntuned", "other": "on\nother", "shuffled":
            "on shuf-\nfled", "in_context": "in\ncontext"}  # fmt: skip
PRINTED = {Published.SMALLER: ("GPT 1.3B", "x"), Published.LARGER: ("GPT 2.7B", "+")}
REC2FTP = {"fine_tuned": "Rec2FTP", "per_episode": "in context,\nanyway", "other": "tuned on\nother",
           "shuffled": "on shuffled\nlabels"}  # fmt: skip
LINES = ("fine_tuned", "other", "shuffled", "zero_shot", "random")


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(2, 4, width=15, height=7)
    transfer, printed = table(directory, Table.TRANSFER), table(directory, Table.PUBLISHED)
    _accuracies(axes[0, 0], table(directory, Table.ACCURACY), printed)
    shares = rows_where(transfer, {Transfer.MEASURE: "rec2ftp"})
    draw_arms(axes[0, 1], shares, REC2FTP, _of(Transfer.VALUE), 0.0, fmt="o", color="#444444", label="this model")
    _printed(axes[0, 1], printed, {"rec2ftp": 0})
    axes[0, 1].set(ylabel="share right in context")
    _rates(axes[0, 2], table(directory, Table.RATES))
    panels = [(axes[0, 3], "kendall_inputs", "Kendall's tau, of inputs")]
    panels += [(panel, *each) for panel, each in zip(axes[1], MEASURES.items(), strict=True)]
    for panel, measure, title in panels:
        rows = rows_where(transfer, {Transfer.MEASURE: measure})
        lines = {arm: [row for row in rows if row[Transfer.ARM] == arm] for arm in LINES}
        draw_layers(panel, measure, {arm: each for arm, each in lines.items() if each}, _of(Transfer.VALUE), False)
        panel.set_title(title)
    style.legend(*axes.flat)
    return figure


def _of(column: str):
    """Return the function from rows of several sets to the mean of a column, and two standard errors."""
    return functools.partial(_number, column=column)


def _number(rows: list[Row], column: str) -> tuple[float, float]:
    defined = [row for row in rows if math.isfinite(row.number(column))]
    if not defined:
        return math.nan, 0.0
    number = estimate(defined, column)
    return number.mean, 2 * (number.stderr if math.isfinite(number.stderr) else number.common)


def _accuracies(panel: Axes, rows: list[Row], printed: list[Row]) -> None:
    rows_at = [rows_where(rows, {Accuracy.LEARNER: name}) for name in LEARNERS]
    number = _of(Accuracy.ACCURACY)
    draw_points(panel, range(len(LEARNERS)), rows_at, number, fmt="o", color="#0072B2", label="this model")
    _printed(panel, printed, {f"accuracy.{name}": place for place, name in enumerate(LEARNERS)})
    panel.set_xticks(range(len(LEARNERS)), LEARNERS.values(), fontsize="small")
    panel.set(ylabel="accuracy")
    panel.margins(x=0.15)


def _printed(panel: Axes, rows: list[Row], places: dict[str, int]) -> None:
    """Draw what the source printed; nothing where it has no such data set."""
    for column, (label, marker) in PRINTED.items():
        points = [(places[name], row[column]) for row in rows if (name := row.text(Published.NUMBER)) in places]
        points = [(place + 0.2, value) for place, value in points if isinstance(value, float) and math.isfinite(value)]
        if points:
            panel.plot(*zip(*points, strict=True), marker, color="#999999", label=label)


def _rates(panel: Axes, rows: list[Row]) -> None:
    rates = distinct(rows, Rates.RATE)
    rows_at = [rows_where(rows, {Rates.RATE: rate}) for rate in rates]
    draw_points(panel, rates, rows_at, _of(Rates.ACCURACY), fmt="o-", color="#0072B2", label="accuracy")
    chosen = [sum(row.number(Rates.CHOSEN) for row in each) / len(each) for each in rows_at]
    panel.plot(rates, chosen, ":", color="#999999", label="share of sets that chose it")
    panel.set(xscale="log", xlabel="rate of fine-tuning", ylabel="on validation rows")
