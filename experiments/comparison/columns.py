"""The tables that a comparison alone writes, and their columns. No JAX here: figures read them.

Its other tables are those of `analysis.tables.columns`.
"""

from enum import StrEnum


class OwnTable(StrEnum):
    ALONG = "along"
    ETAS = "etas"
    INPUTS = "inputs"  # columns: `tasks.datasets.columns`


class Along(StrEnum):
    """Columns of along.csv: one row per prompt, learner and input, for tasks of one input."""

    PROMPT = "prompt"  # from 0
    LEARNER = "learner"  # also the function itself, and the examples of it
    X = "x"  # the input
    ANSWER = "answer"  # the learner's to it


class Etas(StrEnum):
    """Columns of etas.csv, of model.layer=momentum: one row per seed, block and head."""

    SEED = "seed"
    BLOCK = "block"
    HEAD = "head"
    ETA = "eta"  # the trained rate of its moving average
