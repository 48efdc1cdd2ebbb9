"""The results of `accelerator`: errors in units of rounding, which claims bound, and shares of the highest rates."""

from enum import StrEnum

from analysis.figures.cited import own
from analysis.figures.estimates import exact
from analysis.results.column import Headline
from analysis.results.declared import claim
from analysis.results.quantity import Numbers, Quantity
from analysis.results.timing import milliseconds, share_of_bytes, share_of_flops
from analysis.tables.select import table
from lab.runs.directory import RunDirectory

CHECKS = "checks"  # the table with one row per check and precision of matrix products
CHECK, PRECISION, DEVICES, ERROR, UNIT = "check", "precision", "devices", "error", "unit"  # its columns
# Units of rounding: half of the distance from 1 to the next number, with 24, 11 and 8 significant bits.
UNITS = {"float32": 2.0**-24, "tensorfloat32": 2.0**-11, "bfloat16": 2.0**-8}
ALLOWED = 64  # units of an error: some 15 products in a row, each with sums of tens of numbers, and room


class Check(StrEnum):
    """The checks, in their order."""

    CONSTRUCTION = "construction"  # five layers that are set by hand, beside gradient descent in float64
    GRADIENT = "gradient"  # of a decoder's loss, beside float64
    SPLIT = "split_batch"  # the same with the batch split over all devices, beside one device
    REPEATED = "repeated"  # weights of the same training twice
    RESUMED = "resumed"  # weights of a training that was saved in the middle and read back


OF_PRECISION = (Check.CONSTRUCTION, Check.GRADIENT)  # measured at every precision


class Program(StrEnum):
    """The programs that are timed."""

    LAYERS = "layers"  # a population of layers of linear attention
    DECODER = "decoder"
    STREAMS = "stream_decoder"


def error(*checks: Check) -> Quantity:
    """Return the relative errors of checks in units of rounding."""

    def numbers(directory: RunDirectory) -> Numbers:
        rows = [row for row in table(directory, CHECKS) if row[CHECK] in checks]
        return {f"{row[CHECK]}, {row[PRECISION]}": exact(row.number(ERROR) / row.number(UNIT)) for row in rows}

    return Quantity("relative error in units of rounding", "; ".join(f"{check}, *" for check in checks), numbers)


def _differing(directory: RunDirectory) -> Numbers:
    errors = error(Check.REPEATED, Check.RESUMED).numbers(directory)
    return {"": exact(sum(each.mean != 0 for each in errors.values()))}


HEADLINES = (
    Headline("error", "error", "Relative error in units of rounding of the precision.", error(*Check)),
    share_of_flops,
    share_of_bytes,
    milliseconds,
)
ANSWER = (
    "of the fastest product of matrices is reached: {share_of_flops.*}",
    "errors in units of rounding: {error.*}",
)
HERE = own("measured here")
CLAIMS = (
    claim(
        "Constructed Transformers and gradients of decoders are right at every precision of matrix products.",
        HERE,
        error(*OF_PRECISION) < ALLOWED,
        "beside float64",
        controls=(),
    ),
    claim(
        "A batch that is split over all devices has the gradient of one device.",
        HERE,
        error(Check.SPLIT) < ALLOWED,
        controls=(),
    ),
    claim(
        "A training is the same bit by bit when it is repeated, and when it is saved and read back in the middle.",
        HERE,
        Quantity("trainings whose weights differ after some steps", "", _differing) < 1,
        controls=(),
    ),
)
