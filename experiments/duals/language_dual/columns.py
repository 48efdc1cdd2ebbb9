"""The names of the tables and of their columns. No JAX here. `seed` is that of a set of demonstrations."""

from enum import StrEnum

EQUAL = 1e-5  # of the largest output: what 32 bits leave of an identity


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    LAYERS = "layers"
    PATH = "path"
    FEATURES = "features"


class Layers(StrEnum):
    """Columns of layers.csv: one row per set and layer."""

    SEED = "seed"
    LAYER = "layer"  # from 1 on
    ERROR = "error"  # largest difference of a dual model's answer from attention / largest output, over all tokens
    SHARE = "share"  # of the last token's attention that is on demonstrations, mean over heads
    NORM = "norm"  # sqrt(|query| |key|) of the last query and the demonstrations' keys, mean over heads
    MOVED = "moved"  # |answer after the step - before it| / |answer after it|, of the last token, mean over heads


class Path(StrEnum):
    """Columns of path.csv: one row per set, layer and share of the demonstrations' tokens."""

    SEED = "seed"
    LAYER = "layer"
    LEARNED = "learned"  # share of the demonstrations' tokens that the last token's dual models have learned
    DISTANCE = "distance"  # |answer then - attention's output|^2 / |attention's output|^2, mean over heads


class Features(StrEnum):
    """Columns of features.csv: one row per set, layer, sort and number of random features."""

    SEED = "seed"
    LAYER = "layer"
    MAP = "map"
    FEATURES = "features"
    ERROR = "error"  # of the last token's output, relative, median over heads and queries
    NEGATIVE = "negative"  # share of heads whose normaliser is estimated as zero or negative
