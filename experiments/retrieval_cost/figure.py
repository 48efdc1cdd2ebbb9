"""The time of a training step against the number of documents, one line per retriever.

A round of measurements plays the role of a seed. Numbers are ratios of two times of one round, since other work on the
machine slows both of them alike.
"""

import numpy as np
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, stronger
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, Estimate, above
from analysis.tables.select import NotMeasured, distinct, group_by, numbers, rows_where, table, text
from experiments.retrieval_cost.columns import Cost, Table
from lab.runs.directory import RunDirectory

CAPTION = (
    "Microseconds per training step against the number of documents, all programs timed in turns by one process: "
    "medians over the rounds, with bars from the first to the third quartile. A step includes the drawing of its "
    "episodes, with their documents and retrievers."
)

RETRIEVERS = {  # label, colour, marker, and how far to the side it is drawn, so that no bar hides another
    "rag_linear": ("linear projection", "#D55E00", "s", -0.1),
    "rag_dot": ("dot product", "#0072B2", "o", 0.1),
}


def draw(directory: RunDirectory) -> Figure:
    figure, axes = style.panels(1, 1, width=4.6, height=3.6)
    panel, rows = axes[0, 0], table(directory, Table.COST)
    for retriever, (label, color, marker, aside) in RETRIEVERS.items():
        groups = group_by(rows_where(rows, {Cost.RETRIEVER: retriever}), Cost.DOCUMENTS)
        times = [numbers(group, Cost.MICROSECONDS) for group in groups.values()]
        low, middle, high = np.quantile(times, (0.25, 0.5, 0.75), axis=1)
        places, bars = [count + aside for count in groups], (middle - low, high - middle)
        panel.errorbar(places, middle, bars, fmt=f"-{marker}", markersize=4, color=color, label=label, capsize=2)
    panel.set(xlabel="documents", ylabel="microseconds per training step")
    panel.set_xticks(distinct(rows, Cost.DOCUMENTS))
    panel.set_ylim(bottom=0)
    style.legend(panel)
    return figure


def times(directory: RunDirectory, retriever: str) -> dict[float, Estimate]:
    """Return {number of documents: microseconds per step of each round}, fewest first.

    Raises:
        NotMeasured: the table lacks the retriever.
    """
    groups = group_by(rows_where(table(directory, Table.COST), {Cost.RETRIEVER: retriever}), Cost.DOCUMENTS)
    return {
        count: Estimate({row.number(Cost.ROUND): row.number(Cost.MICROSECONDS) for row in group})
        for count, group in groups.items()
    }


def dot_is_faster(directory: RunDirectory) -> list[Condition]:
    linear, dot = (times(directory, retriever) for retriever in RETRIEVERS)
    if linear.keys() != dot.keys():
        raise NotMeasured("the retrievers were not measured with the same numbers of documents")
    name = "%s documents: time of rag_linear / of rag_dot"
    return [above(name % text(count), linear[count] / dot[count], 1.0) for count in linear]


def more_cost_more(directory: RunDirectory) -> list[Condition]:
    conditions = []
    for retriever in RETRIEVERS:
        measured = times(directory, retriever)
        if len(measured) < 2:
            raise NotMeasured("fewer than two numbers of documents")
        fewest, most = min(measured), max(measured)
        name = f"{retriever}: time with {text(most)} documents / with {text(fewest)}"
        conditions.append(above(name, measured[most] / measured[fewest], 1.0))
    return conditions


CLAIMS = (
    Claim(
        statement="A training step with the dot-product retriever takes less time than one with the linear projection.",
        source=stronger(Work.RAG_GD, "section 3, results", "provides faster computation"),
        criterion="at every number of documents, a training step with rag_dot takes less time than one with "
        "rag_linear: the mean over rounds of the ratio of their times is above 1, measured in turns in one process; "
        "the source speaks of the projection alone, a step also draws its episodes",
        judge=dot_is_faster,
    ),
    Claim(
        statement="With either retriever, more documents cost more.",
        source=own("derived here from RAG-GD, appendix B, which says it of non-linear retrievers"),
        criterion="for each retriever, a training step with the most documents takes longer than with the fewest: the "
        "mean over rounds of the ratio of their times is above 1",
        judge=more_cost_more,
    ),
)
