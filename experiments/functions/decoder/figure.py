"""A decoder that learns in context: its answers by the number of examples, beside the Bayes-optimal answer."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.results.column import Column
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import Row, table
from experiments.functions.decoder.results import CLOSE, DECODER, accuracy, accuracy_excess, loss, loss_excess
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: accuracy, or the loss where there are no classes, by the number of examples in the context, for the trained "
    "decoder and the Bayes-optimal answer. Middle: their difference in the same episodes; bars are two standard "
    "errors. Right: the loss on episodes as they are trained on, against the training step."
)
BANDS = True
LEARNERS = ("optimal", DECODER)  # the reference first, wide and pale


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 3, width=11, height=3.4)
    rows = table(directory, Table.BY_EXAMPLES)
    number, excess = (accuracy, accuracy_excess) if accuracy.name in rows[0] else (loss, loss_excess)
    _by_examples(axes[0, 0], rows, number)
    _excess(axes[0, 1], rows, excess)
    _training(axes[0, 2], directory)
    style.legend(*axes[0])
    return figure


def _by_examples(panel: Axes, rows: list[Row], column: Column) -> None:
    for name in LEARNERS:
        measured = [row for row in rows if row[ByExamples.LEARNER] == name and isinstance(row[column.name], float)]
        role, wide = ROLES[name], style.WIDE if name == LEARNERS[0] else {"marker": "o", "markersize": 4}
        examples, means = ([row[key] for row in measured] for key in (ByExamples.EXAMPLES, column.name))
        panel.plot(examples, means, role.line, color=role.colour, label=role.label, **wide)
    panel.set(xlabel="examples in the context", ylabel=column.label)


def _excess(panel: Axes, rows: list[Row], column: Column) -> None:
    name, role = column.name, ROLES[DECODER]
    measured = [row for row in rows if row[ByExamples.LEARNER] == DECODER and isinstance(row.get(name), float)]
    panel.axhline(0, color="#999999", linewidth=0.8)
    if measured:
        examples, means, errors = (
            [row[key] for row in measured] for key in (ByExamples.EXAMPLES, name, f"{name}.stderr")
        )
        doubled = [2 * error for error in errors]
        panel.errorbar(examples, means, doubled, fmt="o-", markersize=4, color=role.colour, capsize=2)
    if column is accuracy_excess:
        panel.axhspan(-CLOSE, CLOSE, color="#999999", alpha=0.15, linewidth=0)
    panel.set(xlabel="examples in the context", ylabel=column.label)


def _training(panel: Axes, directory: RunDirectory) -> None:
    rows = table(directory, Table.CURVES)
    for name in LEARNERS:
        if f"loss.{name}" in rows[0] and isinstance(rows[0][f"loss.{name}"], float):
            role, wide = ROLES[name], style.WIDE if name == LEARNERS[0] else {}
            style.band(panel, rows, f"loss.{name}", role.label, role.colour, role.line, **wide)
    panel.set(xlabel="training step", ylabel="loss")
