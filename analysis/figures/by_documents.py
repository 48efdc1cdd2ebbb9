"""Figures 3 and 5 of RAG-GD: a row a depth; differences from gradient descent against the step, by document count."""

import matplotlib
from matplotlib.figure import Figure

from analysis.figures import against_step
from analysis.tables.select import groups
from lab.runs.directory import RunDirectory

CAPTION = (
    "Differences between the trained Transformer and gradient descent against the training step, a line a "
    "number of documents."
)

PANELS = {f"gradient_descent.{metric}": title for metric, title in against_step.METRICS.items()}


def draw(directory: RunDirectory) -> Figure:
    counts = groups(directory.read_table("curves"), "num_documents")
    colors = matplotlib.colormaps["viridis"].resampled(len(counts) + 1)

    def line_style(i: int, documents: float | str) -> tuple[str, object]:
        return (f"{documents:g} documents" if counts.keys() != {""} else "trained Transformer"), colors(i)

    return against_step.draw(directory, "part", "num_documents", PANELS, line_style)
