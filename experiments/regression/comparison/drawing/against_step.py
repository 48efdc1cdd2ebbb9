"""Grids of panels against the training step: one row per value of one setting, one line per value of another.

Figures 3 and 5 of RAG-GD, and `rag_nonlinear`, have one row per depth and one line per number of documents; figures 4
and 6 have one row per data set and one line per normalisation of the inputs.
"""

from collections.abc import Callable, Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.labels import part_in_words
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.tables.columns import Curves, Table
from analysis.tables.select import Row, distinct, group_by, table, text
from experiments.regression.comparison.results import DOCUMENTS, RAG
from lab.runs.directory import RunDirectory

METRICS: dict[str, str] = {
    Metric.LOSS_DIFFERENCE: "loss difference",
    Metric.COSINE: "cosine of sensitivities",
    Metric.SENSITIVITY_L2: "model difference, L2",
    Metric.PREDICTION_L2: "prediction difference, L2",
}
UNITS: dict[str, str] = {
    Metric.LOSS_DIFFERENCE: "1/2 squared error",
    Metric.COSINE: "cosine of sensitivities",
    Metric.SENSITIVITY_L2: "units of y per unit of x",
    Metric.PREDICTION_L2: "units of y",
}
BY_DOCUMENTS = (
    "Differences between the trained Transformer and gradient descent against the training step, one line per "
    "number of documents."
)
BY_NORMALIZATION = (
    "The trained Transformer's differences from gradient descent on learned features (RAG), and the training losses of "
    "RAG in its two readings, against the training step; one line per normalisation of the inputs. Model differences "
    "and cosines are in each run's own inputs."
)
NORMALIZATIONS = {  # Okabe and Ito's colours
    "zscore": ("z-score", "#0072B2"),
    "minmax": ("min-max", "#D55E00"),
    "rank": ("rank", "#009E73"),
    "tanh": ("tanh", "#CC79A7"),
    "none": ("raw inputs", "#000000"),
}


def by_documents(directory: RunDirectory, reference: str = GD) -> Figure:
    """Return the figure of the differences from gradient descent, or from another learner."""
    counts = distinct(table(directory, Table.CURVES), DOCUMENTS)
    colors = style.shades(len(counts))

    def line_style(i: int, documents: float | str) -> tuple[str, object]:
        return f"{documents:g} documents", colors[i]

    panels = {f"{reference}.{metric}": title for metric, title in METRICS.items()}
    return draw(directory, "part", DOCUMENTS, panels, line_style)


def by_normalization(directory: RunDirectory) -> Figure:
    """Return the figure of the differences from RAG, and of its training losses in its two readings."""
    (difference, title), *others = METRICS.items()
    panels = {
        f"{RAG}.{difference}": title,
        f"train_loss.{RAG}": "training loss of RAG\n(in context, learned features)",
        "train_loss.fitted_rag": "training loss of RAG\n(fitted to the table)",
        **{f"{RAG}.{metric}": title for metric, title in others},
    }
    return draw(directory, "data", "normalization", panels, lambda _, name: NORMALIZATIONS[str(name)])


def draw(
    directory: RunDirectory,
    row: str,
    line: str,
    panels: Mapping[str, str],
    line_style: Callable[[int, float | str], tuple[str, object]],
) -> Figure:
    """Return the figure.

    Args:
        directory: the directory of a sweep, with curves.csv.
        row: the setting with one row of panels per value: the name of a column, or its last word.
        line: the setting with one line per value, also a column.
        panels: {column of curves.csv: title}, one panel per row for each.
        line_style: (number of the line, value) -> its label and colour.
    """
    rows = group_by(table(directory, Table.CURVES), row)
    figure, axes = style.panels(len(rows), len(panels), width=3.25 * len(panels), height=3 * len(rows) + 0.4)
    for (value, group), panels_of_row in zip(rows.items(), axes, strict=True):
        for panel, (metric, title) in zip(panels_of_row, panels.items(), strict=True):
            _panel(panel, group_by(group, line), metric, line_style)
            panel.set_title(f"{part_in_words(text(value))}: {title}")
    style.legend(axes[0][0])
    return figure


def _panel(panel: Axes, lines: dict[float | str, list[Row]], metric: str, line_style: Callable) -> None:
    for i, (value, curve) in enumerate(lines.items()):
        label, color = line_style(i, value)
        measured = [row for row in curve if row[Curves.STEP] or "train_loss" not in metric]
        style.band(panel, measured, metric, label, color, "-")
    panel.set(xlabel="training step", ylabel=UNITS.get(metric.split(".")[1], "1/2 squared error"))
    if metric.endswith(Metric.LOSS_DIFFERENCE):
        panel.axhline(0, color="#999999", linewidth=0.8)
        panel.set_yscale("symlog", linthresh=0.01)
    else:
        style.limit(panel, metric.split(".")[1])
