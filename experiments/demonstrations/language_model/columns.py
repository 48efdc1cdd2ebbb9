"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    CURVES = "curves"  # as the lab's other trainings write it
    EXAMPLES = "examples"
    TRAIN = "train"  # labelled texts to demonstrate, some with a wrong label
    TEST = "test"  # labelled texts to score


class Examples(StrEnum):
    """Columns of examples.csv: one row per question, sort of document and number of examples before the query."""

    SEED = "seed"  # of the model
    QUESTION = "question"  # topic or sentiment
    WORDS = "words"  # natural or exchanged
    EXAMPLES = "examples"
    ACCURACY = "accuracy"
    CHANCE = "chance"
    BEST = "best"  # the accuracy of the Bayes-optimal answer, over documents of both sorts as they are drawn


NATURAL, EXCHANGED = "natural", "exchanged"
