"""Settings of `online_stacks`: stacks of delta-rule layers on one task. No JAX here: `--help` is instant."""

from dataclasses import dataclass
from typing import ClassVar

from experiments.online.settings import BesideLearners
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
    TINY: ClassVar = ["experiment=online_stacks", "task.num_context=4", "task.input_dim=2", "train.steps=4",
                      "train.batch_size=4", "constants.steps=4", "constants.batch_size=4", "seeds=2",
                      "eval.episodes=20", "eval.block=10", "orders=2", "depths=[1,2]"]  # fmt: skip

    depths: list[int] = key([1, 2, 3], "Layers of each stack, passes, and steps.")

    def check(self) -> None:
        super().check()
        some_each_once("depths", self.depths)
        if min(self.depths) < 1:
            raise ConfigError(f"depths={min(self.depths)}: a stack has at least one layer")
