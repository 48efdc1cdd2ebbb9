"""The parts that figures 4 and 6 of RAG-GD share.

There is one row of panels per data set, and one line per normalisation of the inputs: differences from gradient descent
on learned features (the paper's "RAG"), and the training losses of RAG, against the training step.
"""

from matplotlib.figure import Figure

from experiments.regression.comparison.drawing import against_step
from lab.runs.directory import RunDirectory

CAPTION = (
    "The trained Transformer's differences from gradient descent on learned features (RAG), and the training losses of "
    "RAG in its two readings, against the training step; one line per normalisation of the inputs. Model differences "
    "and cosines are in each run's own inputs."
)

RAG, FITTED = "learned_descent", "fitted_rag"  # the two readings of the paper's RAG
LOSS, *OTHERS = against_step.METRICS
PANELS = {
    f"{RAG}.{LOSS}": against_step.METRICS[LOSS],
    f"train_loss.{RAG}": "training loss of RAG\n(in context, learned features)",
    f"train_loss.{FITTED}": "training loss of RAG\n(fitted to the table)",
    **{f"{RAG}.{metric}": against_step.METRICS[metric] for metric in OTHERS},
}
NORMALIZATIONS = {  # Okabe and Ito's colours
    "zscore": ("z-score", "#0072B2"),
    "minmax": ("min-max", "#D55E00"),
    "rank": ("rank", "#009E73"),
    "tanh": ("tanh", "#CC79A7"),
    "none": ("raw inputs", "#000000"),
}


def draw(directory: RunDirectory) -> Figure:
    return against_step.draw(directory, "data", "normalization", PANELS, lambda _, name: NORMALIZATIONS[str(name)])
