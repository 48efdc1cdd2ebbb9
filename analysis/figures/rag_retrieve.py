"""Retrieve, then descend: loss against the number of documents, a panel a depth, a line a way of injection."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables.select import at, by, values
from lab.runs.directory import RunDirectory

CAPTION = "Losses against the number of documents, for three ways of injection."

WAYS = {
    "none": ("no documents", "#999999"),
    "pooled": ("their mean, one row", "#E69F00"),
    "each": ("one row a document", "#0072B2"),
}
STEPS = {
    "gradient_descent": ("gradient descent, a step a layer", "#000000", ":"),
    "retrieved_descent": ("one step from the retrieved model", "#009E73", "--"),
}


def draw(directory: RunDirectory) -> Figure:
    points = directory.read_table("points")
    depths = values(points, "num_layers")
    figure, axes = style.panels(1, len(depths), width=4.6 * len(depths), height=4, sharey=True)
    for layers, panel in zip(depths, axes[0], strict=True):
        for way, (label, color) in WAYS.items():
            _line(panel, at(points, part=way, num_layers=layers), "loss.transformer", label, color, "-")
        for name, (label, color, line) in STEPS.items():
            _line(panel, at(points, part="each", num_layers=layers), f"loss.{name}", label, color, line)
        panel.set(title=f"layers: {layers:g}", xlabel="documents", ylabel="loss, 1/2 squared error")
        panel.set_xticks(values(points, "num_documents"))
    for panel in axes[0]:
        style.log(panel)
    style.legend(axes[0][0])
    return figure


def _line(axes, rows, loss: str, label: str, color: str, line: str) -> None:
    rows, counts = by(rows, "num_documents"), values(rows, "num_documents")
    means = [row[loss] for row in rows]
    axes.errorbar(counts, means, [row.get(f"{loss}.spread", 0.0) for row in rows], fmt=line, color=color, label=label)
