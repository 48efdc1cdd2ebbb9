"""A decoder that learns a class of functions: its error against the number of examples, beside other predictors."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.budgets import at_largest
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import Row, distinct, rows_where, table
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory

CAPTION = (
    "Left: squared error (of labels cross-entropy) divided by that of the answer 0, against the number of examples in "
    "the context, for the trained decoder and for predictors that are fitted to the same examples. Right: the loss "
    "over all numbers of examples, against the training step. Lines are means over seeds."
)
BANDS = True
REFERENCES = ("optimal",)  # wide and pale, below the others
SUBJECT = "decoder"
LABELS = ("halfspaces", "logistic")  # tasks whose answers are labels and not real numbers
LIMITS = (5e-4, 10)  # of the axis: without noise the error of least squares is 0, with noise it has no bound


def draw(directory: RunDirectory) -> Figure:
    """Draw the figure; of a sweep over `train.steps` that of the largest budget."""
    directory = at_largest(directory, Table.SEEDS)
    figure, axes = style.panels(1, 2, width=10, height=4)
    errors(axes[0, 0], table(directory, Table.SEEDS))
    training(axes[0, 1], table(directory, Table.CURVES))
    if directory.read_config()["task"]["name"] in LABELS:
        axes[0, 0].set_ylabel("cross-entropy / log 2")
        axes[0, 1].set_ylabel("cross-entropy (nats), mean over prefixes")
    style.legend(*axes[0])
    return figure


def errors(panel: Axes, rows: list[Row]) -> None:
    """Draw the error of each learner against the number of examples, on a logarithmic axis."""
    for name in in_order(distinct(rows, ByExamples.LEARNER)):
        role, wide = ROLES[name], style.WIDE if name in REFERENCES else {}
        chosen, look = rows_where(rows, {ByExamples.LEARNER: name}), (role.label, role.colour, role.line)
        style.band(panel, chosen, ByExamples.ERROR, *look, ByExamples.EXAMPLES, least=0.1, **wide)
    panel.set(xlabel="examples in the context", ylabel="squared error / E f²", yscale="log")
    low, high = panel.get_ylim()
    panel.set_ylim(max(low, LIMITS[0]), min(high, LIMITS[1]))
    style.log(panel)


def in_order(names: Sequence[str]) -> list[str]:
    """Return the learners in the order of drawing: references first, the trained decoder last, on top."""
    return sorted(names, key=lambda name: (name == SUBJECT, name not in REFERENCES, name))


def training(panel: Axes, rows: list[Row]) -> None:
    """Draw the loss of the trained decoder and of the references against the training step."""
    for name in (*REFERENCES, SUBJECT):
        if isinstance(rows[0].get(f"loss.{name}"), float):
            role, wide = ROLES[name], style.WIDE if name in REFERENCES else {}
            style.band(panel, rows, f"loss.{name}", role.label, role.colour, role.line, **wide)
    panel.set(xlabel="training step", ylabel="1/2 squared error, mean over prefixes")
    style.log(panel)
