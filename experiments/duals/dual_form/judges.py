"""Judges of claims about attention and gradient descent, by the table `identities`."""

from collections.abc import Callable

from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, above, below
from analysis.tables.select import NotMeasured, Row, table
from experiments.duals.dual_form.columns import Identity, Table
from lab.runs.directory import RunDirectory

EQUAL = 1e-12
LOST = 0.1  # of what demonstrations change: the least share that counts as a part
Judge = Callable[[RunDirectory], list[Condition]]


def rows_of(directory: RunDirectory, *identities: str) -> list[Row]:
    """Return the rows of these identities.

    Raises:
        NotMeasured: the table lacks one of the identities.
    """
    rows = [row for row in table(directory, Table.IDENTITIES) if row[Identity.IDENTITY] in identities]
    if {row[Identity.IDENTITY] for row in rows} != set(identities):
        raise NotMeasured(f"identities.csv lacks one of {', '.join(identities)}")
    return rows


def as_stated(*identities: str) -> Judge:
    """Return a judge of these identities, for every variant, by the relation and tolerance that their rows state."""

    def judge(directory: RunDirectory) -> list[Condition]:
        bounds = {"equal": below, "different": above, "approximate": below}
        return [
            bounds[row.text(Identity.RELATION)](
                _name(row), exact(row.number(Identity.ERROR)), row.number(Identity.TOLERANCE)
            )
            for row in rows_of(directory, *identities)
        ]

    return judge


def as_equal(*identities: str) -> Judge:
    """Return a judge of whether the two sides are equal, whatever relation their rows state."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_of(directory, *identities)
        return [below(_name(row), exact(row.number(Identity.ERROR)), EQUAL) for row in rows]

    return judge


def lost(directory: RunDirectory) -> list[Condition]:
    """Return the conditions that more than a share of what demonstrations change is lost without them."""
    rows = rows_of(directory, "frozen_activation", "frozen_layer_norm")
    shares = [above(f"{_name(row)}: share lost", exact(row.number(Identity.ERROR)), LOST) for row in rows]
    return shares + as_stated("flipped_signs")(directory)


def _name(row: Row) -> str:
    return f"{row.text(Identity.IDENTITY).replace('_', ' ')} ({row[Identity.VARIANT]})"
