"""Settings of `online_stacks`: stacks of delta-rule layers on one task. No JAX here: `--help` is instant."""

from dataclasses import dataclass
from typing import ClassVar

from experiments.online.settings import TINY, BesideLearners
from lab.config.key_checks import some_each_once
from lab.errors import ConfigError
from tasks.settings import key


@dataclass
class OnlineStacks(BesideLearners):
    """Stacks of delta-rule layers are trained on a task, and compared with as many passes of stochastic gradient
    descent and as many steps of GD++, each with a rate of its own."""

    FIGURE: ClassVar = "online_stacks_run"
    SWEEP_FIGURE: ClassVar = "online_stacks"
    FIRST: ClassVar = ["task", "seeds", "depths", "train.steps", "constants.steps", "task.num_context",
                       "task.input_dim", "eval.episodes", "eval.block"]  # fmt: skip
    TINY: ClassVar = ["experiment=online_stacks", *TINY, "depths=[1,2]"]

    depths: list[int] = key([1, 2, 3], "Layers of each stack, passes, and steps.")

    def check(self) -> None:
        super().check()
        some_each_once("depths", self.depths)
        if min(self.depths) < 1:
            raise ConfigError(f"depths={min(self.depths)}: a stack has at least one layer")
