"""Settings of `online_stacks`: stacks of delta-rule layers on one task. No JAX here: `--help` is instant."""

from dataclasses import dataclass
from typing import ClassVar

from experiments.online.settings import TINY, BesideLearners
from tasks.settings import several


@dataclass
class OnlineStacks(BesideLearners):
    """Stacks of delta-rule layers are trained on a task, and compared with as many passes of stochastic gradient
    descent and as many steps of GD++, each with a rate of its own."""

    FIGURE: ClassVar = "online_stacks_run"
    SWEEP_FIGURE: ClassVar = "online_stacks"
    FIRST: ClassVar = ["task", "seeds", "depths", "train.steps", "constants.steps", "task.num_context",
                       "task.input_dim", "eval.episodes", "eval.block"]  # fmt: skip
    TINY: ClassVar = ["experiment=online_stacks", *TINY, "depths=[1,2]"]

    depths: list[int] = several([1, 2, 3], "Layers of each stack, passes, and steps.", at_least=1)
