"""The times of a training step and of answers against the number of documents, one line per retriever.

A round of measurements plays the role of a seed. Numbers are ratios of two times of one round, since other work on the
machine slows both of them alike.
"""

import functools

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import Condition, above
from analysis.tables.select import NotMeasured, Row, distinct, group_by, numbers, rows_where, table, text
from experiments.timing.retrieval_cost.columns import Cost, Table, Timed
from lab.runs.directory import RunDirectory

CAPTION = (
    "Microseconds against the number of documents, all programs timed in turns by one process: medians over rounds, "
    "with bars from the first to the third quartile. Left: a training step of the Transformer, which includes the "
    "drawing of its episodes, with their documents and retrievers. Middle: the retrieval-augmented model's answers "
    "to all examples of a batch of given episodes. Right: the same where the documents of a dot product, which all "
    "examples of an episode share, have entered the weights before."
)
PANELS = {
    Timed.STEP: "a training step",
    Timed.ANSWERS: "answers to a batch",
    Timed.RETRIEVED: "answers after retrieval",
}

NAMES = {Timed.STEP: "time", Timed.ANSWERS: "time of answers", Timed.RETRIEVED: "time of answers after retrieval"}
RETRIEVERS = {  # label, colour, marker, and how far to the side it is drawn, so that no bar hides another
    "rag_linear": ("linear projection", "#D55E00", "s", -0.1),
    "rag_dot": ("dot product", "#0072B2", "o", 0.1),
}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, len(PANELS), width=4.6, height=3.6)
    counts = distinct(table(directory, Table.COST), Cost.DOCUMENTS)
    for panel, (timed, title) in zip(axes[0], PANELS.items(), strict=True):
        for retriever, (label, color, marker, aside) in RETRIEVERS.items():
            groups = _by_documents(directory, retriever, timed)
            times = [numbers(group, Cost.MICROSECONDS) for group in groups.values()]
            low, middle, high = np.quantile(times, (0.25, 0.5, 0.75), axis=1)
            places, bars = [count + aside for count in groups], (middle - low, high - middle)
            panel.errorbar(places, middle, bars, fmt=f"-{marker}", markersize=4, color=color, label=label, capsize=2)
        panel.set(xlabel="documents", ylabel="microseconds", title=title)
        panel.set_xticks(counts)
        panel.set_ylim(bottom=0)
    style.legend(axes[0, 0])
    return figure


def times(directory: RunDirectory, retriever: str, timed: Timed) -> dict[float, Estimate]:
    """Return {number of documents: microseconds of each round}, fewest first.

    Raises:
        NotMeasured: the table lacks the retriever.
    """
    return {
        count: Estimate({row.number(Cost.ROUND): row.number(Cost.MICROSECONDS) for row in group})
        for count, group in _by_documents(directory, retriever, timed).items()
    }


def _by_documents(directory: RunDirectory, retriever: str, timed: Timed) -> dict[float, list[Row]]:
    where: dict[str, str] = {Cost.TIMED: timed, Cost.RETRIEVER: retriever}
    return group_by(rows_where(table(directory, Table.COST), where), Cost.DOCUMENTS)


def dot_is_faster(timed: Timed, directory: RunDirectory) -> list[Condition]:
    linear, dot = (times(directory, retriever, timed) for retriever in RETRIEVERS)
    if linear.keys() != dot.keys():
        raise NotMeasured("the retrievers were not measured with the same numbers of documents")
    name = f"%s documents: {NAMES[timed]} of rag_linear / of rag_dot"
    return [above(name % text(count), linear[count] / dot[count], 1.0) for count in linear]


def more_cost_more(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for retriever in RETRIEVERS:
        measured = times(directory, retriever, Timed.STEP)
        if len(measured) < 2:
            raise NotMeasured("fewer than two numbers of documents")
        fewest, most = min(measured), max(measured)
        name = f"{retriever}: time with {text(most)} documents / with {text(fewest)}"
        conditions.append(above(name, measured[most] / measured[fewest], 1.0))
    return conditions


CLAIMS = (
    Claim(
        statement="Once its documents are in the weights, a model with the dot-product retriever answers faster than "
        "one with the linear projection.",
        source=said(Work.RAG_GD, "section 3, results", "no additional projection step is required"),
        criterion="at every number of documents, the answers to all examples of a batch of given episodes take less "
        "time with rag_dot, whose documents have entered the weights before, than with rag_linear, which projects "
        "those of every example (W_z = W_2 W_d is multiplied out before): the mean over rounds of the ratio of their "
        "times is above 1, measured in turns in one process",
        judge=functools.partial(dot_is_faster, Timed.RETRIEVED),
    ),
    Claim(
        statement="It answers faster, too, where the documents of each episode still have to enter the weights.",
        source=stronger(Work.RAG_GD, "section 3, results", "documents are directly embedded into the weight matrix"),
        criterion="the same with the time in which the documents enter the weights, once per episode, whose context "
        "and query share them",
        judge=functools.partial(dot_is_faster, Timed.ANSWERS),
    ),
    Claim(
        statement="A training step with the dot-product retriever takes less time than one with the linear projection.",
        source=stronger(Work.RAG_GD, "section 3, results", "provides faster computation"),
        criterion="at every number of documents, a training step of the Transformer with rag_dot takes less time than "
        "one with rag_linear: the mean over rounds of the ratio of their times is above 1, measured in turns in one "
        "process; the source speaks of the projection alone, a step also draws its episodes",
        judge=functools.partial(dot_is_faster, Timed.STEP),
    ),
    Claim(
        statement="With either retriever, more documents cost more.",
        source=own("derived here from RAG-GD, appendix B, which says it of non-linear retrievers"),
        criterion="for each retriever, a training step with the most documents takes longer than with the fewest: the "
        "mean over rounds of the ratio of their times is above 1",
        judge=more_cost_more,
    ),
)
