"""The names of the tables and of their columns. No JAX here.

`seed` is that of a set of demonstrations. A column NUMBER has the mean over the test rows; NUMBER.common is the
standard error of the mean over sets that comes from these rows, which all sets share (`analysis.metrics.two_way`).
"""

from enum import StrEnum

from analysis.tables.thinking import Common as Common
from analysis.tables.thinking import Cost as Cost
from analysis.tables.thinking import Iterations as Iterations
from analysis.tables.thinking import Norms as Norms

OFFSET = "offset"  # a column of iterations.csv, protocols.csv and norms.csv: whether positions go on, 1 or 0


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    EXAMPLES = "examples"
    ITERATIONS = "iterations"
    PROTOCOLS = "protocols"
    NORMS = "norms"
    COST = "cost"
    PUBLISHED = "published"


class Examples(StrEnum):
    """Columns of examples.csv: one row per set and number of its first demonstrations that are shown."""

    SEED = "seed"
    EXAMPLES = "examples"
    TOKENS = "tokens"  # of these demonstrations
    ACCURACY = "accuracy"
    LOSS = "loss"  # cross-entropy in nats of the right answer among a query's
    CHANCE = "chance"  # accuracy of an answer at random
    MAJORITY = "majority"  # share of the most frequent class among the test rows; chance without classes


class Protocols(StrEnum):
    """Columns of protocols.csv: one row per set and protocol, and rate, momentum and offset where it has some."""

    PROTOCOL = "protocol"  # as `rows.protocol_rows` has them
    GAIN = "gain"  # of accuracy over plain in-context learning


class Published(StrEnum):
    """Columns of published.csv: one row per accuracy that the source printed, beside this run's."""

    DATA_SET = "data_set"
    NUMBER = "number"  # in_context; best_test, the best number of iterations on the test; validated
    OURS = "ours"
    ERROR = "ours.stderr"  # over sets and rows
    PUBLISHED = "published"  # empty where the source has none


VALIDATED, BEST, FRESH, NO_MOMENTUM = "validated", "best_test", "fresh", "best_over_no_momentum"
AGAIN, TWICE, ZERO_SHOT, IN_CONTEXT = "again", "twice", "zero_shot", "in_context"
