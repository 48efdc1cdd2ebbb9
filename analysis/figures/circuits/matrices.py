"""The QK circuits W_Q^T W_K and OV circuits P W_V of the trained and of the constructed Transformer, side by side."""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.circuits import image
from analysis.metrics.columns import Weights
from analysis.tables.columns import Table
from analysis.tables.select import Row, rows_where, table
from lab.runs.directory import RunDirectory

CAPTION = (
    "The QK and OV circuits, the matrices that a layer's function depends on, of the trained Transformer and of the "
    "one that is constructed to be gradient descent. W_Q^T W_K: rows are slots of the token that attends, columns "
    "those of the token (or document) that is attended to. P W_V: rows are the slots that are written to, columns "
    "those that are read. What one of the two is multiplied by the other can be divided by, so both models are shown "
    "at the scale where the features' part of W_Q^T W_K has the mean diagonal 1, and the documents' two matrices "
    "equal norms. The distance is the Frobenius norm of the difference relative to that of the constructed matrix; "
    "'as read' leaves out what no prediction depends on (what the last layer writes outside the slot y; for one layer "
    "also the row y of W_Q^T W_K: initial weights stay there) and, where a token shows an input twice, adds up the "
    "copies first, since entries can be moved from one copy to the other without changing one layer's function."
)
NAMES = {
    "qk": r"$W_Q^\top W_K$",
    "ov": r"$P W_V$",
    "document_qk": r"$W_Q^\top W_{DK}$",
    "document_ov": r"$P W_{DV}$",
}


def draw(directory: RunDirectory) -> Figure:
    """Draw one row per block. A matrix that is zero in the construction is drawn for the trained model alone."""
    arrays, distances = directory.read_arrays("circuits"), table(directory, Table.WEIGHTS)
    names = [matrix for matrix in NAMES if f"transformer.{matrix}" in arrays]
    models = {
        matrix: ["transformer", *(["constructed"] if np.any(arrays[f"constructed.{matrix}"]) else [])]
        for matrix in names
    }
    count, slots = len(arrays["transformer.qk"]), (arrays["slots"].tolist(), arrays["widths"].tolist())
    widths, blocks = [len(models[matrix]) for matrix in names], image.rows_of(count)
    size = {"width": max(2.0 * sum(widths), 6), "height": 2.7 * len(blocks)}
    figure, axes = style.panels(len(blocks), len(names), **size, width_ratios=widths)
    for panels, block in zip(axes, blocks, strict=True):
        for panel, matrix in zip(panels, names, strict=True):
            pictures = [arrays[f"{model}.{matrix}"][block] for model in models[matrix]]
            columns = (["document"], [pictures[0].shape[1]]) if matrix.startswith("document") else slots
            picture = image.draw(panel, pictures, slots, columns)
            (row,) = rows_where(distances, {Weights.BLOCK: block + 1, Weights.MATRIX: matrix})
            panel.set_title(f"{NAMES[matrix]}, trained", loc="left")
            if len(pictures) > 1:
                panel.set_title("constructed", loc="right")
            panel.set_xlabel(_distance(row))
            figure.colorbar(picture, ax=panel, shrink=0.8, aspect=25, pad=0.02)
        if count > 1:
            panels[0].set_ylabel(f"layer {block + 1}")
    return figure


def _distance(row: Row) -> str:
    if row[Weights.NORM_CONSTRUCTED] == 0:
        return f"norm {row[Weights.NORM_TRAINED]:.2g}; constructed: 0"
    same = np.isclose(row[Weights.DISTANCE], row[Weights.DISTANCE_READ], rtol=1e-3)
    return f"distance {row[Weights.DISTANCE]:.2g}" + ("" if same else f", as read {row[Weights.DISTANCE_READ]:.2g}")
