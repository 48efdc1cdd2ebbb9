"""Columns of the tables about the choice of a set of demonstrations, which several kinds have. No JAX here."""

from enum import StrEnum

SCORES = {"effect": 1, "accuracy": 1, "loss": -1}  # 1 where more is better


class Choice(StrEnum):
    """Columns of choice.csv: one row per seed, score and number of validation queries.

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
    """Columns of bounds.csv: one row per seed and set of demonstrations that no score chooses."""

    BOUND = "bound"  # random: the mean over the sets; best: the best set on the test queries; zero_shot: no set
    ACCURACY = "accuracy"  # on the test queries
