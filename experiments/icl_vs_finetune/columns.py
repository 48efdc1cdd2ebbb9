"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    ACCURACY = "accuracy"
    TRANSFER = "transfer"
    RATES = "rates"


class Common(StrEnum):
    """The first columns of every table."""

    SEED = "seed"  # of the decoder
    MODEL = "model"  # trained or untrained
    SCHEDULE = "schedule"  # of fine-tuning: one_epoch or full_batch


class Accuracy(StrEnum):
    """Columns of accuracy.csv: one row per decoder, schedule and learner."""

    LEARNER = "learner"
    ACCURACY = "accuracy"
    RATE = "rate"  # of those that are fine-tuned


class Transfer(StrEnum):
    """Columns of transfer.csv: one row per decoder, schedule, measure, layer and arm."""

    MEASURE = "measure"
    LAYER = "layer"  # from 1 on; empty where the measure is of no single layer
    ARM = "arm"  # what the examples are that fine-tuning sees, or what the measure is compared with
    VALUE = "value"  # empty where it is no number, such as a share of nothing
    STDERR = "stderr"  # over episodes
    COUNT = "count"  # of the queries that the value is a share of


class Rates(StrEnum):
    """Columns of rates.csv: one row per decoder, schedule and rate of fine-tuning, on validation episodes."""

    RATE = "rate"
    CHOSEN = "chosen"  # 1 for the rate that is the most accurate, else 0
    ACCURACY = "accuracy"  # after fine-tuning
    SIM_AOU = "sim_aou"  # mean over layers
    SIM_AOU_CENTRED = "sim_aou_centred"  # mean over layers
