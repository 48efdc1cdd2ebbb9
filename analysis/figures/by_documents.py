"""Figures 3 and 5 of RAG-GD: a row a depth; differences from gradient descent against the step, by document count."""

import matplotlib
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.tables import at, values
from lab.run_directory import RunDirectory

PANELS = {
    "loss_difference": "loss difference",
    "sensitivity_cosine": "cosine of sensitivities",
    "sensitivity_l2": "model (sensitivity) difference, L2",
    "prediction_l2": "prediction difference, L2",
}


def draw(directory: RunDirectory) -> Figure:
    curves = directory.read_table("curves")
    parts, counts = values(curves, "part"), values(curves, "num_documents")
    colors = matplotlib.colormaps["viridis"].resampled(len(counts) + 1)
    figure, axes = style.panels(len(parts), len(PANELS), width=13, height=3 * len(parts))
    for part, row in zip(parts, axes, strict=True):
        for panel, (metric, label) in zip(row, PANELS.items(), strict=True):
            for i, documents in enumerate(counts):
                of = at(curves, part=part, num_documents=documents)
                style.band(panel, of, f"gradient_descent.{metric}", f"{documents:g} documents", colors(i), "-")
            panel.set(xlabel="training step", title=f"{part}: {label}")
            if metric == "loss_difference":
                panel.axhline(0, color="#999999", linewidth=0.8)
                panel.set_yscale("symlog", linthresh=0.01)
            else:
                panel.set_ylim(top=1.02) if metric == "sensitivity_cosine" else panel.set_ylim(bottom=0)
    style.legend(axes[0][0], loc="outside lower center", ncols=4)
    return figure
