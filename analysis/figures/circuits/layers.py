"""Readouts of the trained Transformer after each layer, against the steps of gradient descent and of GD++."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.circuits.image import largest, rows_of
from analysis.metrics.columns import Predictions
from analysis.tables.columns import Table
from analysis.tables.select import rows_where, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "What is read out of the trained Transformer after each layer, against the predictions of gradient descent (and of "
    "GD++) after as many steps: one point per validation episode, its first query and output. On the grey "
    "line they are the same. Correlation and slope are over more episodes than are drawn."
)
MARKERS = "o^"


def draw(directory: RunDirectory) -> Figure:
    arrays, rows = directory.read_arrays("circuits"), table(directory, Table.PREDICTIONS)
    readouts_BxL = arrays["readouts.transformer"]
    shown_layers = rows_of(readouts_BxL.shape[1])
    others = list(dict.fromkeys(row.text(Predictions.WITH) for row in rows))
    figure, axes = style.panels(1, len(shown_layers), width=max(3.1 * len(shown_layers), 4.2), height=3.7)
    for layer, panel in zip(shown_layers, axes[0], strict=True):
        for name, marker in zip(others, MARKERS, strict=False):
            label, color, _ = style.LEARNERS[name]
            answers = arrays[f"readouts.{name}"][:, layer]
            panel.scatter(
                answers, readouts_BxL[:, layer], s=9, marker=marker, color=color, linewidths=0, alpha=0.6, label=label
            )
        most = 1.05 * largest([readouts_BxL[:, layer], *(arrays[f"readouts.{name}"][:, layer] for name in others)])
        panel.plot([-most, most], [-most, most], color="#999999", linewidth=0.8, zorder=0)
        panel.set(xlabel=f"prediction after step {layer + 1}, in units of y")
        fits = [rows_where(rows, {Predictions.LAYER: layer + 1, Predictions.WITH: name})[0] for name in others]
        text = [
            f"{style.LEARNERS[row.text(Predictions.WITH)][0]}:\n"
            f"correlation {row[Predictions.CORRELATION]:.4f}, slope {row[Predictions.SLOPE]:.3f}"
            for row in fits
        ]
        panel.set_title("\n".join([f"layer {layer + 1}", *text]), fontsize="small")
    axes[0][0].set_ylabel("read-out of the trained\nTransformer, in units of y")
    style.legend(axes[0][0])
    return figure
