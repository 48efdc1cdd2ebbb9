"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    LEARNERS = "learners"
    DIFFERENCES = "differences"
    CURVES = "curves"


class Common(StrEnum):
    """The first columns of the tables; curves have no candidates."""

    SEED = "seed"
    SPLIT = "split"  # of the log into training and test
    CANDIDATES = "candidates"  # sampled or all
    LEARNER = "learner"


class Learners(StrEnum):
    """Columns of learners.csv: one row per seed, split, kind of candidates and learner; chance and the truth are two.

    Further columns: the other measures of `tasks.ranking`.
    """

    USERS = "users"  # how many the means are over; 0 for chance, which is exact
    NDCG_10 = "ndcg_10"
    RECALL_10 = "recall_10"
    EXAMPLES = "examples"  # demonstrations of a prompt, of learners that answer from some of a user's


class Differences(StrEnum):
    """Columns of differences.csv: one row per seed, split, kind of candidates and pair of learners."""

    OTHER = "other"
    DIFFERENCE = "difference"  # nDCG@10 of the learner - that of the other, on the same users


class Curves(StrEnum):
    """Columns of curves.csv: one row per seed, split, trained learner and step at which its loss was measured."""

    STEP = "step"
    LOSS = "loss"  # cross-entropy of the next item, on the same users of the training log at every step
