"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum

from analysis.tables.transfer import TRANSFER
from analysis.tables.transfer import Accuracy as Accuracy
from analysis.tables.transfer import Rates as Rates
from analysis.tables.transfer import Transfer as Transfer


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    ACCURACY = "accuracy"
    TRANSFER = TRANSFER
    RATES = "rates"


class Common(StrEnum):
    """The first columns of every table."""

    SEED = "seed"  # of the decoder
    MODEL = "model"  # trained or untrained
    SCHEDULE = "schedule"  # of fine-tuning: one_epoch or full_batch
