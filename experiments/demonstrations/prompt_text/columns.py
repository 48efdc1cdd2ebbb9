"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    TEXT = "text"
    LIKENESS = "likeness"
    CURVES = "curves"


class Common(StrEnum):
    """The first column of the tables."""

    SEED = "seed"


class Operations(StrEnum):
    """Columns of text.csv: one row per seed and operation on the instructions, on the test users.

    Further columns: the other measures of `tasks.ranking`.
    """

    OPERATION = "operation"
    ALPHA = "alpha"  # of shrinking
    NDCG_10 = "ndcg_10"
    GAIN = "gain"  # of nDCG@10 over the plain decoder on the same users


class Likeness(StrEnum):
    """Columns of likeness.csv: one row per seed and learner that the plain decoder is compared with."""

    LEARNER = "learner"
    COSINE = "cosine"  # of the answers
    SAME_TOP = "same_top"  # how often the same item is on top of the slate


class Curves(StrEnum):
    """Columns of curves.csv: one row per seed, training and step at which its loss was measured."""

    LEARNER = "learner"  # that is trained: decoder, or prefix
    STEP = "step"
    LOSS = "loss"  # cross-entropy over the slate, on the same users at every step
