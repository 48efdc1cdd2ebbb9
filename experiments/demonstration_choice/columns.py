"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    CHOICE = "choice"
    BOUNDS = "bounds"
    PATH = "path"
    REACHED = "reached"


class Common(StrEnum):
    """The first column of every table."""

    SEED = "seed"  # of the decoder


class Choice(StrEnum):
    """Columns of choice.csv: one row per decoder, score and number of validation queries.

    A row is about the set of demonstrations that is the best by this score on so many validation queries.
    """

    SCORE = "score"  # effect, accuracy or loss
    QUERIES = "queries"  # number of validation queries
    ACCURACY = "accuracy"  # of the chosen set on the test queries
    GAIN = "gain"  # of this accuracy over that of a random set
    LEAD = "lead"  # by how much the set that Effect_D chooses is more accurate
    SPEARMAN = "spearman"  # correlation, over the sets of an episode, of their score with their test accuracy
    UNDEFINED = "spearman.left_out"  # in how many episodes that correlation is not defined
    VALIDATION = "validation"  # the score of the chosen set on the validation queries
    TEST = "test"  # the same on the test queries
    OPTIMISM = "optimism"  # VALIDATION - TEST
    TIED = "tied"  # how many sets have the best score; the first of them is chosen, as sets are in no order


class Bounds(StrEnum):
    """Columns of bounds.csv: one row per decoder and set of demonstrations that no score chooses."""

    BOUND = "bound"  # random: the mean over the sets; best: the best set on the test queries; zero_shot: no set
    ACCURACY = "accuracy"  # on the test queries


class Path(StrEnum):
    """Columns of path.csv: one row per decoder, half of the sets and number of demonstrations.

    The sets of an episode are halved by their Effect_D on the most validation queries.
    """

    HALF = "half"  # better or worse
    DEMONSTRATIONS = "demonstrations"  # learned so far by the dual models of the last layer, from 0 on
    RANK = "rank"  # of the right class, mean over test queries


class Reached(StrEnum):
    """Columns of reached.csv: one row per decoder and half of the sets, and one for the difference."""

    HALF = "half"  # better, worse, or better - worse
    STEPS = "steps"  # demonstrations until the right class is the first; one more than there are if it never is
