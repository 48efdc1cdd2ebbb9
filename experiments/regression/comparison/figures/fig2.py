"""Figure 2 of RAG-GD: the loss against the number of documents and against the scale of the test inputs."""

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.measures import GD
from analysis.tables.columns import Shift, Statistic, Table
from analysis.tables.select import Row, distinct, finished, group_by, rows_where, sort_by, table, text
from experiments.regression.comparison.claims import fig2 as fig2_claims
from lab.runs.directory import RunDirectory

CAPTION = (
    "Losses, on a logarithmic axis, against the number of documents and against the scale of the test inputs. Gradient "
    "descent is not shown the documents of rag_dot: it starts from zero."
)
NEEDS_POINTS = True
BANDS = True
CLAIMS = fig2_claims.CLAIMS

SHOWN = ("transformer", GD, "interpolated")


def draw(directory: RunDirectory) -> Figure:
    points, shifts = finished(table(directory, Table.POINTS)), table(directory, Table.SHIFT)
    parts = sorted(distinct(points, "part"), key=lambda part: (part == "sigma", part))
    figure, axes = style.panels(2, len(parts), width=4.6 * len(parts), height=6.6, sharey="row")
    for part, top, bottom in zip(parts, *axes, strict=True):
        top.set_title(part)
        if part == "sigma":
            _by_sigma(top, rows_where(points, {"part": part}))
            bottom.set_axis_off()
            continue
        _by_count(top, rows_where(points, {"part": part}))
        _by_alpha(bottom, rows_where(shifts, {"part": part, Shift.SHIFT: "alpha"}))
        style.log(bottom)
    for panel in axes[0]:
        style.log(panel)
    style.legend(axes[0][0])
    return figure


def _by_sigma(axes: Axes, rows: list[Row]) -> None:
    """Draw the loss of the trained Transformer, one line per sigma."""
    groups = group_by(rows, "sigma")
    colors = matplotlib.colormaps["viridis"].resampled(len(groups) + 1)
    for i, (sigma, group) in enumerate(groups.items()):
        ordered = sort_by(group, "num_documents")
        losses, errors = ([row[f"loss.transformer{kind}"] for row in ordered] for kind in ("", ".stderr"))
        counts = distinct(ordered, "num_documents")
        axes.errorbar(counts, losses, errors, fmt="-o", color=colors(i), markersize=3, label=f"sigma {text(sigma)}")
    axes.set(xlabel="documents", ylabel="loss of the trained Transformer", title="rag_dot, larger sigma")
    axes.set_xticks(counts)
    axes.legend(fontsize="small")


def _by_count(axes: Axes, rows: list[Row]) -> None:
    rows, counts = sort_by(rows, "num_documents"), distinct(rows, "num_documents")
    for name in SHOWN:
        losses = [row[f"loss.{name}"] for row in rows]
        spreads = [row.get(f"loss.{name}.spread", 0.0) for row in rows]
        style.line(axes, name, counts, losses, spreads, marker="o")
    axes.set(xlabel="documents", ylabel="loss, 1/2 squared error")
    axes.set_xticks(counts)


def _by_alpha(axes: Axes, rows: list[Row]) -> None:
    """Draw one line per learner and number of documents; the fewer documents, the paler."""
    counts = distinct(rows, "num_documents")
    for i, documents in enumerate(counts):
        for name in SHOWN:
            curve = sort_by(rows_where(rows, {Shift.LEARNER: name, "num_documents": documents}), Shift.VALUE)
            alphas, means = ([row[key] for row in curve] for key in (Shift.VALUE, Statistic.MEAN))
            spreads = [row.get(Statistic.SPREAD, 0.0) for row in curve]
            style.line(axes, name, alphas, means, spreads, alpha=0.35 + 0.65 * (i + 1) / len(counts), markersize=3)
    axes.axvline(1, color="#999999", linewidth=0.8)
    range_of_counts = f"{min(counts):g} (pale) to {max(counts):g} documents; trained at 1"
    axes.set(xlabel=f"scale alpha of the test inputs\n{range_of_counts}", ylabel="loss, 1/2 squared error")
