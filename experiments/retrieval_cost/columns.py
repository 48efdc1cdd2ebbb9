"""The table of `retrieval_cost` and its columns. No JAX here: the figure and the claims read them."""

from enum import StrEnum


class Table(StrEnum):
    COST = "cost"


class Cost(StrEnum):
    """Columns of cost.csv: one row per round, retriever and number of documents, in the order of the measurements."""

    ROUND = "round"
    RETRIEVER = "retriever"
    DOCUMENTS = "documents"  # how many
    DEVICE = "device"  # on which it was timed
    MICROSECONDS = "microseconds_per_step"
