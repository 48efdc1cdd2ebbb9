"""Columns of the tables that kinds have in common which compare learning in context with fine-tuning. No JAX here."""

from enum import StrEnum

TRANSFER = "transfer"  # the name of the table of measures


class Accuracy(StrEnum):
    """Columns of accuracy.csv: one row per model, or set of demonstrations, and learner."""

    LEARNER = "learner"
    ACCURACY = "accuracy"
    RATE = "rate"  # of those that are fine-tuned


class Transfer(StrEnum):
    """Columns of transfer.csv: one row per model, or set of demonstrations, measure, layer and arm."""

    MEASURE = "measure"
    LAYER = "layer"  # from 1 on; empty where the measure is of no single layer
    ARM = "arm"  # what the examples are that fine-tuning sees, or what the measure is compared with
    VALUE = "value"  # empty where it is no number, such as a share of nothing
    STDERR = "stderr"  # over episodes
    COUNT = "count"  # of the queries that the value is a share of


class Rates(StrEnum):
    """Columns of rates.csv: one row per model, or set of demonstrations, and rate of fine-tuning, on other queries."""

    RATE = "rate"
    CHOSEN = "chosen"  # 1 for the rate that is the most accurate, else 0
    ACCURACY = "accuracy"  # after fine-tuning
    SIM_AOU = "sim_aou"  # mean over layers
    SIM_AOU_CENTRED = "sim_aou_centred"  # mean over layers


ARMS = ("fine_tuned", "other", "shuffled")  # tuned on the same examples, on others, on the same with labels permuted
PAIRED = {  # {(measure, name of its difference): the arm that is subtracted from `fine_tuned`}
    ("sim_aou", "difference"): "other",
    ("sim_aou_centred", "difference"): "other",
    ("sim_am", "rise"): "zero_shot",
}
