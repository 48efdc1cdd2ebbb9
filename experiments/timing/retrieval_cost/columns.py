"""The table of `retrieval_cost` and its columns. No JAX here: the figure and the claims read them."""

from enum import StrEnum


class Table(StrEnum):
    COST = "cost"


class Timed(StrEnum):
    """The values of the column `timed`."""

    STEP = "step"  # a training step, in which its episodes are drawn
    ANSWERS = "answers"  # of the retrieval-augmented model to all examples of a batch of given episodes
    RETRIEVED = "retrieved"  # the same, where the documents of a dot product have entered the weights before


class Cost(StrEnum):
    """Columns of cost.csv: one row per round, what is timed, retriever and number of documents, in the order of the
    measurements."""

    ROUND = "round"
    TIMED = "timed"  # one of `Timed`
    RETRIEVER = "retriever"
    DOCUMENTS = "documents"  # how many
    DEVICE = "device"  # on which it was timed
    MICROSECONDS = "microseconds"  # per training step, or per batch that is answered
