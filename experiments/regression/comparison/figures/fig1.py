"""Figure 1 of RAG-GD, one layer without documents and with both retrievers: one column per task; losses above,
alignment with gradient descent below, against the training step."""

from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, said
from analysis.figures.labels import part_in_words
from analysis.figures.measures import GD
from analysis.metrics.columns import Metric
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Every
from analysis.tables.select import NotMeasured
from experiments.regression.comparison import controls
from experiments.regression.comparison.drawing import panels
from experiments.regression.comparison.results import cosine, excess, for_each, over_untrained
from lab.runs.directory import RunDirectory

CAPTION = (
    "One column per task: losses, their distance from gradient descent's, and the trained Transformer's alignment with "
    "gradient descent, against the training step. Gradient descent is not shown the documents of rag_dot: it starts "
    "from zero."
)
NEEDS_POINTS = True
BANDS = True
CONTROLS = controls.learns()

PLAIN, RETRIEVERS = "plain", ("rag_linear", "rag_dot")  # parts; RAG-GD's figure has those with documents
EXACT = 1e-5


def draw(directory: RunDirectory) -> Figure:
    parts = directory.points()
    if not parts:
        raise NotMeasured("no point is done")
    figure, axes = style.panels(4, len(parts), width=4 * len(parts), height=9.5)
    for (name, part), losses, relative, cosines, distance in zip(parts.items(), *axes, strict=True):
        panels.losses(losses, part)
        losses.set_title(part_in_words(name))
        panels.excess(relative, part, GD)
        panels.metric(cosines, part, Metric.COSINE, [GD])
        panels.distances(distance, part, GD)
    style.legend(*axes[:, 0])
    return figure


def same_loss(part: str) -> Bounds:
    return excess(part=part).within(0.01)


def same_direction(part: str) -> Bounds:
    return cosine.where(part=part)[GD] > 0.99


def distances_vanish(part: str) -> Every:
    predictions, models = (over_untrained(each, GD, part) for each in (Metric.PREDICTION_L2, Metric.SENSITIVITY_L2))
    return (predictions < 0.1) & (models < 0.1)


CLAIMS = (
    claim(
        "With both retrievers, a trained layer's loss is that of one step of gradient descent.",
        said(Work.RAG_GD, "figure 1, caption", "matches that of the RAG model"),
        for_each(RETRIEVERS, same_loss),
    ),
    claim(
        "With both retrievers, its predictions change with the query in the direction in which gradient descent's "
        "change.",
        said(Work.RAG_GD, "figure 1, caption", "near-perfect alignment, as measured by cosine similarity"),
        for_each(RETRIEVERS, same_direction),
    ),
    claim(
        "With both retrievers, the differences of predictions and of models from gradient descent vanish.",
        said(Work.RAG_GD, "figure 1, caption", "distance between both models and their predictions"),
        for_each(RETRIEVERS, distances_vanish),
    ),
    claim(
        "Without documents, a trained layer is one step of gradient descent in loss, predictions and models.",
        said(Work.VO23, "section 3 and figure 2"),
        same_loss(PLAIN) & same_direction(PLAIN) & distances_vanish(PLAIN),
    ),
    claim(
        "With both retrievers, a layer of linear attention can be constructed that is one step of gradient descent.",
        said(Work.RAG_GD, "section 2.4, lemma, and eq. 8", "equivalent to the training progress"),
        for_each(RETRIEVERS, lambda part: excess("constructed", part=part).within(EXACT)),
        "the rounding of single precision",
        controls=(),
    ),
)
