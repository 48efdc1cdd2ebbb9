"""The linear attention scores q_j^T k_i of the trained and of the constructed Transformer, one row per layer."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.circuits import image
from lab.runs.directory import RunDirectory

CAPTION = (
    "Attention scores, without softmax, of the trained Transformer and of the one that is constructed to be gradient "
    "descent. Rows are the tokens that attend, the query's and those of the context; columns are what is attended to, "
    "the examples of the context and each row of documents. On the left in one validation episode, on the right the "
    "mean of the absolute scores over episodes (the scores themselves have either sign, and a mean near 0). They are "
    "at the scale of the pictures of the matrices; that of the scores of documents is apart from that of the others."
)
KINDS = {"one": ("score, in one episode", image.SIGNED), "mean": ("mean of |score| over episodes", image.ABSOLUTE)}


def draw(directory: RunDirectory) -> Figure:
    arrays = directory.read_arrays("circuits")
    _, receivers, keys = arrays["attention.transformer.one"].shape
    rows, columns = _labels(receivers - 1, keys - receivers + 1, int(arrays["num_context"]))
    layers = image.rows_of(len(arrays["attention.transformer.one"]))
    figure, axes = style.panels(len(layers), len(KINDS), width=11.5, height=2.9 * len(layers) + 0.2)
    for panels, layer in zip(axes, layers, strict=True):
        for panel, (kind, (label, colors)) in zip(panels, KINDS.items(), strict=True):
            maps = [arrays[f"attention.{model}.{kind}"][layer] for model in ("transformer", "constructed")]
            picture = image.draw(panel, maps, rows, columns, colors)
            panel.set_title(f"layer {layer + 1}, trained", loc="left")
            panel.set_title("constructed", loc="right")
            figure.colorbar(picture, ax=panel, shrink=0.8, aspect=25, pad=0.02, label=label)
        panels[0].set_ylabel("token that attends")
    for panel in axes[-1]:
        panel.set_xlabel("token that is attended to")
    return figure


def _labels(examples: int, documents: int, context: int):
    """Return the names and widths of the slots of the rows and of the columns."""
    names = ["examples" if examples == context else f"the first {examples} of {context} examples"]
    rows = (["query", "examples"], [1, examples])
    if not documents:
        return rows, (names, [examples])
    return rows, ([*names, "documents" if documents > 2 else "doc."], [examples, documents])
