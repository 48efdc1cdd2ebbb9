"""Claims about a device: what it computes is right to its precision, and trainings are the same however run."""

from analysis.figures.cited import own
from analysis.figures.claim import Claim
from analysis.figures.estimates import exact
from analysis.figures.evidence import Condition, below
from analysis.tables.select import Row, table
from experiments.timing.accelerator.columns import EXACT, OF_PRECISION, Check, Checks, Table
from lab.runs.directory import RunDirectory

HERE = own("measured here")


def _rows(directory: RunDirectory, *checks: Check) -> list[Row]:
    return [row for row in table(directory, Table.CHECKS) if row[Checks.CHECK] in checks]


def _conditions(directory: RunDirectory, *checks: Check) -> list[Condition]:
    """Return one condition per row: an error below its bound, in units of rounding."""
    return [
        below(
            f"{row.text(Checks.CHECK).replace('_', ' ')}, {row.text(Checks.PRECISION)}: error / unit of rounding",
            exact(row.number(Checks.ERROR) / row.number(Checks.UNIT)),
            row.number(Checks.BOUND) / row.number(Checks.UNIT),
        )
        for row in _rows(directory, *checks)
    ]


def _bit_by_bit(directory: RunDirectory) -> list[Condition]:
    """Return the condition that no training differs from the first at all."""
    differing = sum(row.number(Checks.ERROR) != 0 for row in _rows(directory, *EXACT))
    return [below("trainings whose weights differ", exact(differing), 1)]


CLAIMS = (
    Claim(
        "Constructed Transformers and gradients of decoders are right at every precision of matrix products.",
        HERE,
        "the relative error beside float64 is below 64 units of rounding of the precision",
        lambda directory: _conditions(directory, *OF_PRECISION),
        controls=(),
    ),
    Claim(
        "A batch that is split over all devices has the gradient of one device.",
        HERE,
        "the relative difference is below 64 units of rounding of float32",
        lambda directory: _conditions(directory, Check.SPLIT),
        controls=(),
    ),
    Claim(
        "A training is the same bit by bit when it is repeated, and when it is saved and read back in the middle.",
        HERE,
        "no weight differs after some steps",
        _bit_by_bit,
        controls=(),
    ),
)
