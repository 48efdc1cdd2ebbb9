"""Figure 2 of RAG-GD: the loss against the number of documents and against the scale of the test inputs."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import Row, at, by, values
from lab.runs.directory import RunDirectory

CAPTION = "Losses, on a logarithmic axis, against the number of documents and against the scale of the test inputs."

SHOWN = ("transformer", "gradient_descent", "interpolated")


def draw(directory: RunDirectory) -> Figure:
    points, shifts = directory.read_table("points"), directory.read_table("shift")
    parts = values(points, "part")
    figure, axes = style.panels(2, len(parts), width=4.6 * len(parts), height=6.6, sharey="row")
    for part, above, below in zip(parts, *axes, strict=True):
        _by_count(above, at(points, part=part))
        above.set_title(part)
        _by_alpha(below, at(shifts, part=part, shift="alpha"))
    for panel in axes.flat:
        style.log(panel)
    style.legend(axes[0][0])
    return figure


def _by_count(axes: Axes, rows: list[Row]) -> None:
    rows, counts = by(rows, "num_documents"), values(rows, "num_documents")
    for name in SHOWN:
        of = [(row[f"loss.{name}"], row.get(f"loss.{name}.spread", 0.0)) for row in rows]
        style.line(axes, name, counts, *zip(*of, strict=True), marker="o")
    axes.set(xlabel="documents", ylabel="loss, 1/2 squared error")
    axes.set_xticks(counts)


def _by_alpha(axes: Axes, rows: list[Row]) -> None:
    """A line a learner and number of documents, fewer documents paler."""
    counts = values(rows, "num_documents")
    for i, documents in enumerate(counts):
        for name in SHOWN:
            of = by(at(rows, learner=name, num_documents=documents), "value")
            alphas, means, spreads = ([row.get(key, 0.0) for row in of] for key in ("value", "mean", "spread"))
            style.line(axes, name, alphas, means, spreads, alpha=0.35 + 0.65 * (i + 1) / len(counts), markersize=3)
    axes.axvline(1, color="#999999", linewidth=0.8)
    shown = f"{min(counts):g} (pale) to {max(counts):g} documents; trained at 1"
    axes.set(xlabel=f"scale alpha of the test inputs\n{shown}", ylabel="loss, 1/2 squared error")
