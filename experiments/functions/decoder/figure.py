"""A decoder that learns in context: its answers by the number of examples, beside the Bayes-optimal answer."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import Row, table
from experiments.functions.decoder.claims import CLAIMS as CLAIMS
from experiments.functions.decoder.claims import CLOSE
from experiments.functions.decoder.claims import CONTROLS as CONTROLS
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: accuracy, or the loss where there are no classes, by the number of examples in the context, for the trained "
    "decoder and the Bayes-optimal answer. Middle: their difference in the same episodes; bars are two standard "
    "errors. Right: the loss on episodes as they are trained on, against the training step."
)
BANDS = True
LEARNERS = ("optimal", "decoder")  # the reference first, wide and pale


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=11, height=3.4)
    rows = table(directory, Table.BY_EXAMPLES)
    number = _main(rows)
    _by_examples(axes[0, 0], rows, number)
    _excess(axes[0, 1], rows, number)
    _training(axes[0, 2], directory)
    style.legend(*axes[0])
    return figure


def _main(rows: list[Row]) -> str:
    return "accuracy" if "accuracy" in rows[0] else "loss"


def _by_examples(panel: Axes, rows: list[Row], number: str) -> None:
    for name in LEARNERS:
        measured = [row for row in rows if row[ByExamples.LEARNER] == name and isinstance(row[number], float)]
        role, wide = ROLES[name], style.WIDE if name == LEARNERS[0] else {"marker": "o", "markersize": 4}
        examples, means = ([row[column] for row in measured] for column in (ByExamples.EXAMPLES, number))
        panel.plot(examples, means, role.line, color=role.colour, label=role.label, **wide)
    panel.set(xlabel="examples in the context", ylabel=number)


def _excess(panel: Axes, rows: list[Row], number: str) -> None:
    column, role = f"{number}_excess", ROLES["decoder"]
    measured = [row for row in rows if row[ByExamples.LEARNER] == "decoder" and isinstance(row.get(column), float)]
    panel.axhline(0, color="#999999", linewidth=0.8)
    if measured:
        examples, means, errors = (
            [row[name] for row in measured] for name in (ByExamples.EXAMPLES, column, f"{column}.stderr")
        )
        doubled = [2 * error for error in errors]
        panel.errorbar(examples, means, doubled, fmt="o-", markersize=4, color=role.colour, capsize=2)
    if number == "accuracy":
        panel.axhspan(-CLOSE, CLOSE, color="#999999", alpha=0.15, linewidth=0)
    panel.set(xlabel="examples in the context", ylabel=f"{number}: decoder - optimal")


def _training(panel: Axes, directory: RunDirectory) -> None:
    rows = table(directory, Table.CURVES)
    for name in LEARNERS:
        if f"loss.{name}" in rows[0] and isinstance(rows[0][f"loss.{name}"], float):
            role, wide = ROLES[name], style.WIDE if name == LEARNERS[0] else {}
            style.band(panel, rows, f"loss.{name}", role.label, role.colour, role.line, **wide)
    panel.set(xlabel="training step", ylabel="loss")
