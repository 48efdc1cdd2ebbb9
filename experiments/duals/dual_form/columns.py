"""The names of the table and of its columns. No JAX here."""

from enum import StrEnum


class Table(StrEnum):
    """The tables, of which there is one."""

    IDENTITIES = "identities"


class Identity(StrEnum):
    """Columns of identities.csv: one row per identity and variant."""

    TOPIC = "topic"
    STATEMENT = "statement"  # as a sentence
    VARIANT = "variant"  # a loss, a form of the dual model, an activation
    SOURCE = "source"  # the paper and its equations
    IDENTITY = "identity"  # a short name to select rows by
    RELATION = "relation"  # equal, or different where the statement asserts a difference, or approximate
    ERROR = "error"  # the largest over the cases; of a share that is lost the mean
    TOLERANCE = "tolerance"  # the bound that the error must not exceed, or must exceed for `different`
    HOLDS = "holds"  # 1 or 0
