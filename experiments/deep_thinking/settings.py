"""Settings of `deep_thinking`: a decoder reads its context several times before it answers. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import Base
from lab.config.lists import some_each_once
from lab.config.trained import Trained
from lab.errors import ConfigError
from tasks.settings import at_least_two, positive


@dataclass
class DeepThinking(Base):
    """Keys and values are optimised iteratively; the number of iterations is chosen on validation episodes."""

    FIGURE: ClassVar = "deep_thinking"
    TINY: ClassVar = ["experiment=deep_thinking", *tiny.trained(tiny.DECODER), "tasks=6", "validation=6", "queries=4",
                      "chunk=4", "iterations=3", "eta=[0.1,0.01]", "beta=[0.9]"]  # fmt: skip

    model: Trained = field(default_factory=Trained)
    test: list[str] = field(default_factory=list)  # words task.KEY=VALUE in which the task differs from training's
    iterations: int = field(default=15, metadata={"at_least": 2, "at_most": 1000})  # T; the first is plain ICL
    # Rates eta of the updates and momenta beta; every rate is combined with every momentum.
    eta: list[float] = field(default_factory=lambda: [0.1, 0.01, 0.001], metadata={"above": 0, "at_most": 2})
    beta: list[float] = field(default_factory=lambda: [0.9, 0.0], metadata={"at_least": 0, "at_most": 0.999})
    tasks: int = at_least_two(200)  # test episodes
    validation: int = at_least_two(100)  # episodes on which the number of iterations is chosen
    queries: int = at_least_two(64)  # queries per episode; the second half are the fresh ones
    offset: bool = False  # positions of the second reading continue those of the first
    memory: float = field(default=16.0, metadata={"above": 0})  # GiB, in the table of costs
    chunk: int = positive(50)  # episodes computed at a time; each block is drawn from a key of its own

    def check(self) -> None:
        some_each_once("eta", self.eta)
        some_each_once("beta", self.beta)
        for eta in self.eta:
            for beta in self.beta:
                if eta >= 2 * (1 + beta):
                    raise ConfigError(f"eta={eta:g} with beta={beta:g} diverges: must be < 2 (1 + beta)")

    def inputs(self) -> list[list[str]]:
        return [self.model.command]
