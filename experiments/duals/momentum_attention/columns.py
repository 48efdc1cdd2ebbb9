"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    CURVES = "curves"
    ETAS = "etas"


class Common(StrEnum):
    """Columns that both tables have."""

    POSITIONS = "positions"  # the kind of positions
    SEED = "seed"
    STEP = "step"  # of training


class Curves(StrEnum):
    """Columns of curves.csv: one row per kind of positions, seed, variant of attention and step."""

    VARIANT = "variant"
    LOSS = "loss"  # nats
    FLOOR = "floor"  # the loss of the Bayes-optimal answer on the same sequences
    FREQUENCIES = "frequencies"  # that of the best answer from how often each symbol was seen
    EXCESS = "excess"  # LOSS - FLOOR
    ACCURACY = "accuracy"  # share of the symbols that are predicted right


class Etas(StrEnum):
    """Columns of etas.csv: one row per kind of positions, seed, step, layer and head, where eta is learned."""

    LAYER = "layer"  # from 1 on
    HEAD = "head"  # from 1 on
    ETA = "eta"
