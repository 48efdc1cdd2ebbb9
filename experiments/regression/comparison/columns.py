"""The tables that a comparison alone writes, and their columns. No JAX here: figures read them.

Its other tables are those of `analysis.tables.columns`.
"""

from enum import StrEnum


class OwnTable(StrEnum):
    ALONG = "along"
    ETAS = "etas"
    FEATURES = "features"
    INPUTS = "inputs"  # columns: `tasks.datasets.columns`
    RETRIEVAL = "retrieval"  # likewise


class Along(StrEnum):
    """Columns of along.csv: one row per prompt, learner and input, for tasks of one input."""

    PROMPT = "prompt"  # from 0
    LEARNER = "learner"  # also the function itself, and the examples of it
    X = "x"  # the input
    ANSWER = "answer"  # the learner's to it


class Features(StrEnum):
    """Columns of features.csv, of tables: one row per seed, trained learner and input column, at the end of training.

    A sensitivity is the mean over the test episodes of the absolute derivative of the prediction by that input.
    """

    SEED = "seed"
    LEARNER = "learner"
    COLUMN = "column"  # the name of the input
    SENSITIVITY = "sensitivity"  # by the input as the run normalises it
    SENSITIVITY_Z = "sensitivity_z"  # by the z-scored input


class Etas(StrEnum):
    """Columns of etas.csv, of model.layer=momentum: one row per seed, block and head."""

    SEED = "seed"
    BLOCK = "block"
    HEAD = "head"
    ETA = "eta"  # the trained rate of its moving average
