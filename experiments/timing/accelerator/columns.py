"""The tables of `accelerator` and their columns. No JAX here: the figure, the claims and the report read them."""

from enum import StrEnum


class Table(StrEnum):
    CHECKS = "checks"
    STEPS = "steps"


class Checks(StrEnum):
    """Columns of checks.csv: one row per check and precision of matrix products."""

    CHECK = "check"
    PRECISION = "precision"
    DEVICE = "device"
    DEVICES = "devices"  # how many the process has; a batch is split over all that divide it
    ERROR = "error"  # relative to the right result, as a norm
    UNIT = "unit"  # of rounding at this precision: half of the distance from 1 to the next number
    BOUND = "bound"  # of the error


class Steps(StrEnum):
    """Columns of steps.csv: one row per round, program and precision."""

    ROUND = "round"
    PROGRAM = "program"
    PRECISION = "precision"
    DEVICE = "device"
    MODELS = "models"  # that are trained together
    WIDTH = "width"  # of a token
    PROMPTS = "prompts"  # of a step of one model
    TOKENS = "tokens"  # of a prompt
    MILLISECONDS = "milliseconds_per_step"
    SHARE_OF_FLOPS = "share_of_flops"  # of the fastest product of matrices at the same precision
    SHARE_OF_BYTES = "share_of_bytes"  # of the highest traffic of memory


class Check(StrEnum):
    """The checks, in their order."""

    CONSTRUCTION = "construction"  # five layers that are set by hand, beside gradient descent in float64
    GRADIENT = "gradient"  # of a decoder's loss, beside float64
    SPLIT = "split_batch"  # the same with the batch split over all devices, beside one device
    REPEATED = "repeated"  # weights of the same training twice
    RESUMED = "resumed"  # weights of a training that was saved in the middle and read back


class Program(StrEnum):
    """The programs that are timed."""

    LAYERS = "layers"  # a population of layers of linear attention
    DECODER = "decoder"
    STREAMS = "stream_decoder"


EXACT = (Check.REPEATED, Check.RESUMED)  # nothing may differ
OF_PRECISION = (Check.CONSTRUCTION, Check.GRADIENT)  # measured at every precision
