"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    ROUNDS = "rounds"
    METHODS = "methods"
    DIFFERENCES = "differences"
    AGREEMENT = "agreement"


CURVES = "curves"  # the table of a learner that is trained; others have none


class Common(StrEnum):
    """The first columns of every table."""

    SEED = "seed"
    QUERIES = "queries"  # number of validation queries


class Methods(StrEnum):
    """Columns of methods.csv: one row per seed, number of validation queries and way of choosing demonstrations.

    Numbers are means over users, at the end of a search. Further columns: the other measures of `tasks.ranking`.
    """

    METHOD = "method"  # a search, or a prompt that no search made
    NDCG_10 = "ndcg_10"  # on the test queries
    EFFECT = "effect"  # Effect_D on the test queries
    VALIDATION = "validation"  # of searches: Effect_D on the validation queries
    SIMILARITY_FIRST = "similarity_first"  # of searches: similarity of the second round with the first
    SIMILARITY_LAST = "similarity_last"  # of searches: similarity of the last round with the one before
    EXAMPLES = "examples"  # demonstrations of the prompt
    EVALUATIONS = "evaluations"  # how many sets were scored for a user


class Differences(StrEnum):
    """Columns of differences.csv: one row per seed, number of validation queries and pair of ways of choosing."""

    METHOD = "method"
    OTHER = "other"
    DIFFERENCE = "difference"  # nDCG@10 of the method - that of the other, on the same users


class Agreement(StrEnum):
    """Columns of agreement.csv: one row per seed and number of validation queries."""

    CORRELATION = "correlation"  # within users, of Effect_D on validation and on test, over random sets


class Curves(StrEnum):
    """Columns of curves.csv: one row per seed, number of validation queries, and step at which the loss was measured.

    One training serves all numbers of validation queries.
    """

    STEP = "step"
    LOSS = "loss"  # cross-entropy over the slate, on the same users at every step
