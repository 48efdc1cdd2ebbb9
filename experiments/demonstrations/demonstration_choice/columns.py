"""The names of the tables and of their columns. No JAX here."""

from enum import StrEnum

from analysis.tables.choice import Bounds as Bounds
from analysis.tables.choice import Choice as Choice


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    CHOICE = "choice"
    BOUNDS = "bounds"
    PATH = "path"
    REACHED = "reached"


class Common(StrEnum):
    """The first column of every table."""

    SEED = "seed"  # of the decoder


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
