"""The tables of `dti_reach` and their columns. No JAX here: the figure and the claims read them."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    THEOREMS = "theorems"
    REACH = "reach"
    LEAKS = "leaks"


RANDOM, UNTRAINED, TRAINED = "random", "untrained", "trained"  # decoders: of the theorems, and of the runs


class Theorem(StrEnum):
    """Columns of theorems.csv: one row per statement about one kind of decoder with random weights."""

    SCHEME = "scheme"
    POSITIONS = "positions"
    LAYERS = "layers"
    ISOLATES = "isolates"  # 1 if the reset has the weight 1 at every distance
    IDENTITY = "identity"  # what is compared
    RELATION = "relation"  # as derived: equal, or different
    MEASURED = "measured"  # the largest difference of logits, or the largest distance with a gradient
    BOUND = "bound"  # of the difference, or the distance as derived
    HOLDS = "holds"  # 1 or 0


class Reach(StrEnum):
    """Columns of reach.csv: one row per decoder and distance, with the gradient of the last target's logit."""

    DECODER = "decoder"  # with random weights, before its training, or trained
    SEED = "seed"
    SCHEME = "scheme"
    POSITIONS = "positions"
    LAYERS = "layers"
    ISOLATES = "isolates"
    WINDOW = "window"  # n
    DISTANCE = "distance"  # interactions before the target
    NORM = "norm"  # of the gradient at this distance, root mean square over users
    SHARE = "share"  # of the sum of the norms over all distances


class Leak(StrEnum):
    """Columns of leaks.csv: one row per decoder."""

    DECODER = "decoder"
    SEED = "seed"
    SCHEME = "scheme"
    POSITIONS = "positions"
    LAYERS = "layers"
    ISOLATES = "isolates"
    REACH = "reach"  # the largest distance with a gradient that is not exactly zero
    LEAK = "leak"  # the share of the sum of norms at distances beyond the window
    LEARNED = (
        "learned"  # of the log loss that a window saves beside the item alone, the share that is saved; not of random
    )
