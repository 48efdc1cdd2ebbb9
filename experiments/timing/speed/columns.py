"""The table of `speed` and its columns. No JAX here: the figure, the claims and the report read them."""

from enum import StrEnum


class Table(StrEnum):
    SPEED = "speed"


class Rates(StrEnum):
    """Columns of speed.csv, which has one row. Numbers are those of the run too, so columns of points.csv.

    Rates and ratios are medians over rounds.
    """

    LAYERS = "layers"
    BATCH = "batch"  # episodes per training step
    CONTEXT = "context"  # examples
    WIDTH = "width"  # of a token
    POPULATION = "population"  # models that are trained together
    DEVICE = "device"  # on which it was timed
    STEPS = "steps_per_second"
    EPISODES = "episodes_per_second"
    MODELS_STEPS = "models_steps_per_second"
    FLOPS = "flops_per_second"
    BYTES = "bytes_per_second"
    SHARE_OF_FLOPS = "share_of_flops"  # of the highest rate of operations
    SHARE_OF_BYTES = "share_of_bytes"  # of the highest rate of bytes
    SHARE_OF_RANDOM = "share_of_random"  # of the rate at which random numbers alone are drawn
    BINDS = "binds"  # the ceiling with the largest share: flops, bytes or random
    SPEED_UP = "speed_up"  # over the plain forward pass; empty where that would take too much memory
    COMPILE_SECONDS = "compile_seconds"


SHARES = {"flops": Rates.SHARE_OF_FLOPS, "bytes": Rates.SHARE_OF_BYTES, "random": Rates.SHARE_OF_RANDOM}  # by ceiling
