"""The names of the table and of its columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, of which there is one."""

    SHIFTS = "shifts"


class Errors(StrEnum):
    """Columns of shifts.csv: one row per shift, decoder, learner and number of examples.

    Numbers of examples after which there is no query of the shift are left out.
    """

    SHIFT = "shift"
    VALUE = "value"  # factor or standard deviation of the shift; 1 where it has none
    SEED = "seed"  # of the decoder
    LEARNER = "learner"  # decoder, or least_squares on the same episodes
    EXAMPLES = "examples"  # in the context
    ERROR = "error"  # squared, divided by E f^2
