"""The names of the tables and of their columns. No JAX here.

`seed` is that of a set of demonstrations. A column NUMBER has the mean over the test rows; NUMBER.common is the
standard error of the mean over sets that comes from these rows, which all sets share
(`experiments.demonstrations.two_way`).
"""

from enum import StrEnum

from analysis.tables.transfer import TRANSFER
from analysis.tables.transfer import Accuracy as Accuracy
from analysis.tables.transfer import Rates as Rates
from analysis.tables.transfer import Transfer as Transfer

SEED = "seed"
GAIN = "gain"  # a column of accuracy.csv: of accuracy over zero-shot
BEHIND = "behind"  # a column of accuracy.csv: accuracy in context - this one
LOSS = "loss"  # a column of accuracy.csv and rates.csv: cross-entropy in nats of the right answer among a query's


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    ACCURACY = "accuracy"
    TRANSFER = TRANSFER
    RATES = "rates"
    PUBLISHED = "published"


class Published(StrEnum):
    """Columns of published.csv: one row per number that the source printed, beside this run's."""

    DATA_SET = "data_set"
    NUMBER = "number"  # accuracy.zero_shot, accuracy.fine_tuned, accuracy.in_context, rec2ftp
    OURS = "ours"
    ERROR = "ours.stderr"  # over sets and rows
    SMALLER = "gpt_1.3b"  # what the source printed; empty where it has no such data set
    LARGER = "gpt_2.7b"
