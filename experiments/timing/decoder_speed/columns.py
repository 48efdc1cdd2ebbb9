"""The table of `decoder_speed` and its columns. No JAX here: the figure and the claims read them."""

from enum import StrEnum


class Table(StrEnum):
    STEPS = "steps"


class Steps(StrEnum):
    """Columns of steps.csv: one row per round and program."""

    LAYERS = "layers"
    WIDTH = "width"
    TOKENS = "tokens"  # of a prompt
    PROMPTS = "prompts"  # of a training step
    ROUND = "round"
    PROGRAM = "program"
    DEVICE = "device"  # on which it was timed
    MILLISECONDS = "milliseconds_per_step"
    SHARE = "share_of_flops"  # of the highest rate of operations that was measured on the device
