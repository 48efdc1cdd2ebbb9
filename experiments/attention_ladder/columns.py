"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    RUNGS = "rungs"
    LAYERS = "layers"


class Common(StrEnum):
    """The first columns of both tables."""

    SEED = "seed"  # of the decoder
    RUNG = "rung"  # the attention in the place of the decoder's, as `rungs.rungs` names them


class Rungs(StrEnum):
    """Columns of rungs.csv: one row per decoder and rung. Every query sees all examples."""

    ACCURACY = "accuracy"
    LOST = "lost"  # accuracy with the decoder's own attention - with this one
    AGREEMENT = "agreement"  # share of the queries for which both give the same class
    LEARNED = "learned"  # accuracy with the decoder's own attention - the same without examples


class Layers(StrEnum):
    """Columns of layers.csv: one row per decoder, rung and layer."""

    LAYER = "layer"  # from 1 on
    SIMILARITY = "similarity"  # cosine of the updates of attention's output by the examples, with both attentions
