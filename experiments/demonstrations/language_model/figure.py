"""A small language model that learns words in context: its accuracy by the number of examples, and its loss."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.columns import Curves
from analysis.tables.select import Row, distinct, numbers, rows_where, table
from experiments.demonstrations.language_model import results
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "All panels but the last: accuracy by the number of examples before the query, in documents whose words have their "
    "natural sense and in documents that exchange them, for each question that is asked; bars are two standard errors "
    "over documents. Dashed: chance; wide and pale: the Bayes-optimal answer, over documents as they are drawn. Last: "
    "the loss on these."
)
COLOURS = {results.NATURAL: "#0072B2", results.EXCHANGED: "#D55E00"}


def draw(directory: RunDirectory) -> Figure:
    rows = table(directory, results.EXAMPLES)
    questions = distinct(rows, results.QUESTION)
    figure, axes = style.panels(1, len(questions) + 1, width=3.7 * (len(questions) + 1), height=3.4)
    for panel, question in zip(axes[0], questions, strict=False):
        _accuracy(panel, rows_where(rows, {results.QUESTION: question}))
        panel.set_title(f"question: {question}")
    curve = table(directory, results.CURVES)
    axes[0, -1].plot(numbers(curve, Curves.STEP), numbers(curve, "loss"), color="#000000")
    axes[0, -1].set(xlabel="training step", ylabel="loss (nats)", title="training")
    style.legend(*axes[0, :-1])
    return figure


def _accuracy(panel: Axes, rows: list[Row]) -> None:
    first = rows_where(rows, {results.WORDS: results.NATURAL})
    counts = numbers(first, results.COUNT)
    panel.plot(
        counts, numbers(first, results.best.name), color=ROLES["optimal"].colour, label=results.best.label, **style.WIDE
    )
    for sort, color in COLOURS.items():
        chosen = rows_where(rows, {results.WORDS: sort})
        errors = [2 * error for error in numbers(chosen, f"{results.accuracy.name}.stderr")]
        panel.errorbar(
            counts, numbers(chosen, results.accuracy.name), errors, fmt="o-", markersize=3, capsize=2, color=color,
            label=f"{sort} words",
        )  # fmt: skip
    panel.plot(
        counts, numbers(first, results.chance.name), "--", color="#999999", linewidth=0.8, label=results.chance.label
    )
    panel.set(xlabel="examples before the query", ylabel=results.accuracy.label, ylim=(-0.03, 1.03))
