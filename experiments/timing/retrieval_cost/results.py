"""The results of `retrieval_cost`: ratios of times within each round, by retriever and number of documents."""

import dataclasses
from enum import StrEnum

from analysis.figures.cited import Work, own, said, stronger
from analysis.results.column import Headline
from analysis.results.declared import claim
from analysis.results.quantity import Bounds, Quantity
from analysis.results.timing import milliseconds

TIMED, RETRIEVER, DOCUMENTS = "timed", "retriever", "documents"  # columns; the last is their number


class Timed(StrEnum):
    """The things that are timed."""

    STEP = "step"  # a training step, in which its episodes are drawn
    ANSWERS = "answers"  # of the retrieval-augmented model to all examples of a batch of given episodes
    RETRIEVED = "retrieved"  # the same, where the documents of a dot product have entered the weights before


time = dataclasses.replace(milliseconds, label="time", key=RETRIEVER)
HEADLINES = (
    Headline(
        "milliseconds",
        "time",
        "Time of a training step, or of answers to a batch, by retriever and number of documents.",
        time.along((TIMED, RETRIEVER, DOCUMENTS)),
        "ms",
    ),
)
ANSWER = (
    "milliseconds of a training step: {milliseconds.step, *}",
    "of answers to a batch of given episodes: {milliseconds.answers, *}",
    "of the same where a dot product's documents are in the weights: {milliseconds.retrieved, *}",
)


def by_documents(timed: Timed, retriever: str) -> Quantity:
    """Return the time with a retriever at every number of documents."""
    return time.where(timed=str(timed)).along(DOCUMENTS, retriever)


def dot_is_faster(timed: Timed) -> Bounds:
    """Return the bound of a dot product that takes less time, at every number of documents."""
    return by_documents(timed, "rag_linear") / by_documents(timed, "rag_dot") > 1


def most_over_fewest(retriever: str) -> Quantity:
    """Return the time of a training step with the most documents over the time with the fewest."""
    times = by_documents(Timed.STEP, retriever)
    return times.last() / times.first()


CLAIMS = (
    claim(
        "Once its documents are in the weights, a model with the dot-product retriever answers faster than one with "
        "the linear projection.",
        said(Work.RAG_GD, "section 3, results", "no additional projection step is required"),
        dot_is_faster(Timed.RETRIEVED),
        "the mean over rounds; rag_linear projects the documents of every example, with W_z = W_2 W_d multiplied out "
        "before",
        repeats="rounds",
    ),
    claim(
        "It answers faster, too, where the documents of each episode still have to enter the weights.",
        stronger(Work.RAG_GD, "section 3, results", "documents are directly embedded into the weight matrix"),
        dot_is_faster(Timed.ANSWERS),
        "the mean over rounds; documents enter the weights once per episode, whose context and query share them",
        repeats="rounds",
    ),
    claim(
        "A training step with the dot-product retriever takes less time than one with the linear projection.",
        stronger(Work.RAG_GD, "section 3, results", "provides faster computation"),
        dot_is_faster(Timed.STEP),
        "the mean over rounds; the source speaks of the projection alone, a step also draws its episodes",
        repeats="rounds",
    ),
    claim(
        "With either retriever, more documents cost more.",
        own("derived here from RAG-GD, appendix B, which says it of non-linear retrievers"),
        (most_over_fewest("rag_linear") > 1) & (most_over_fewest("rag_dot") > 1),
        "the means over rounds",
        repeats="rounds",
    ),
)
