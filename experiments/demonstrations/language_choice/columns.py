"""The names of the tables. No JAX here.

`seed` is that of a draw of sets and validation rows. A column NUMBER has the mean over the test rows, which all draws
share, and NUMBER.common the standard error that comes from them (`experiments.demonstrations.two_way`).
"""

from enum import StrEnum

from analysis.tables.choice import SCORES as SCORES
from analysis.tables.choice import Bounds as Bounds
from analysis.tables.choice import Choice as Choice

SEED = "seed"


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    CHOICE = "choice"
    BOUNDS = "bounds"
