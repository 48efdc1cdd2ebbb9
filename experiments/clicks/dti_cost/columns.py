"""The tables of `dti_cost` and their columns. No JAX here: the figure and the claims read them."""

from enum import StrEnum

SLIDING = "sliding"  # the way that others are compared with
PARTS = "_parts"  # behind the name of a way: some prompts at a time, in place of all at once


class Table(StrEnum):
    """The tables, in the order in which they are written."""

    TIMES = "times"
    COST = "cost"
    GROWTH = "growth"


class Pass(StrEnum):
    """The passes, each of a batch of targets."""

    FORWARD = "forward"  # the loss
    STEP = "step"  # a training step: the loss, its gradient, and the optimiser's update of the weights


class Times(StrEnum):
    """Columns of times.csv: one row per size, pass, round and way of arranging the targets."""

    N = "n"  # window
    K = "k"  # targets of a prompt
    C = "c"  # tokens of an interaction
    D = "d"  # width
    PASS = "pass"  # see `Pass`
    ROUND = "round"
    WAY = "way"
    DEVICE = "device"  # on which it was timed
    MILLISECONDS = "milliseconds"  # per target
    CPU_MILLISECONDS = "cpu_milliseconds"  # per target, of all threads of the process


class Growth(StrEnum):
    """Columns of growth.csv: one row per number of targets and way, of the forward pass on one prompt's targets."""

    N = "n"
    K = "k"
    C = "c"
    D = "d"
    WAY = "way"  # see `experiments.clicks.dti_cost.programs.growing`
    TOKENS = "tokens"  # of all prompts, those of targets and their [SUM]s included
    OPERATIONS = "operations"  # as XLA counts them before it compiles


class Cost(StrEnum):
    """Columns of cost.csv: one row per size and pass, with gains of prompts of k targets over sliding windows.

    There are further columns for each way in which several targets share a prompt: `flops.WAY`, the gain in operations;
    `time.WAY`, the median over rounds of the gain in time over sliding windows, and its quartiles `time.WAY.low` and
    `time.WAY.high`; `cpu.WAY`, the same median in time of the processor. Of times, both sides are computed at once or
    some prompts at a time, whichever is faster.
    """

    N = "n"
    K = "k"
    C = "c"
    D = "d"
    PASS = "pass"
    DEVICE = "device"  # on which it was timed
    FORMULA = "formula"  # nk/(n + k), the gain in interactions
    TOKENS = "tokens"  # the gain in tokens
    PROJECTIONS = "projections"  # the gain in products with weights
    SLIDING = "sliding"  # the faster one of sliding and sliding_parts
    SLIDING_MILLISECONDS = "sliding_milliseconds"  # per target, the median over rounds
    AT_ONCE_OVER_PARTS = "sliding_at_once_over_parts"  # time of all sliding windows at once / of some at a time
    BETTER = "better"  # the way with the largest gain in time, with _parts behind its name if that is faster
    GAIN = "gain"  # in time, of that way
    SHARE = "share"  # of that gain in the formula's
    CPU_GAIN = "cpu_gain"  # the largest one in time of the processor
    CPU_SHARE = "cpu_share"  # of that gain in the formula's
