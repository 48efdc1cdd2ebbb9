"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum

from analysis.tables.thinking import Common as Common
from analysis.tables.thinking import Cost as Cost
from analysis.tables.thinking import Iterations as Iterations
from analysis.tables.thinking import Norms as Norms


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    ITERATIONS = "iterations"
    PROTOCOLS = "protocols"
    NORMS = "norms"
    TASKS = "tasks"
    COST = "cost"


class Protocols(StrEnum):
    """Columns of protocols.csv: one row per decoder and protocol, and rate, momentum and queries where it has some."""

    PROTOCOL = "protocol"  # as `rows.protocol_rows` has them
    SCORED = "scored"  # queries of a task that choose its number of iterations; empty where none do
    GAIN = "gain"  # of accuracy over plain in-context learning


class Tasks(StrEnum):
    """Columns of tasks.csv: one row per decoder and test episode, at the first rate and momentum.

    Gains are those of all iterations over plain in-context learning. In nats they are of the log-loss, which changes
    with every answer: accuracy changes only where another class comes first.
    """

    EPISODE = "episode"
    SCORED = "gain_scored"  # accuracy, on the most queries that choose a number of iterations
    FRESH = "gain_fresh"  # accuracy, on the others
    NATS_SCORED = "nats_scored"  # by which the loss is lower, on the most queries that choose
    NATS_FRESH = "nats_fresh"  # on the others
    NORM = "first_update"  # the norm of the first update, over all layers
    ENTROPY = "entropy"  # of the answers after one reading, mean over all queries, in nats
