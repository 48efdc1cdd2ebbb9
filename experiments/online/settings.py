"""Settings that the kinds of this family share: layers are trained on a task, beside learners with fitted constants.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.choices import Optimizer
from lab.config.training import EvalBlocks, Training, TrainsTogether, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import Parameters, at_least_two, chosen, key, positive

TINY = ("task.num_context=4", "task.input_dim=2", "train.steps=4", "train.batch_size=4", "constants.steps=4",
        "constants.batch_size=4", "seeds=2", "eval.episodes=20", "eval.block=10", "orders=2")  # fmt: skip
TASKS = ("drifting", "switching", "recall")


@dataclass
class LayersTrain(Training):
    """The training of the layers, or of stacks of them."""

    steps: int = positive(600, "Steps of the optimiser.")
    optimizer: Optimizer | None = key(Optimizer.adam, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.01, "Largest learning rate; null: the optimiser's own.", above=0)


@dataclass
class ConstantsTrain(Training):
    """The search for the constants with which a learner does best: rates, decays, momentum."""

    steps: int = positive(300, "Steps of the search.")
    batch_size: int = positive(64, "Episodes of each step of the search.")
    optimizer: Optimizer | None = key(Optimizer.adam, "Its method; null: adam.")
    learning_rate: float | None = key(0.05, "Largest rate of the search; null: its method's own.", above=0)


@dataclass
class BesideLearners(TrainsTogether):
    """Layers are trained on a task, and compared with learners at the best constants and the Bayes-optimal answer."""

    GROUPS: ClassVar = {"task": "drifting"}

    task: Parameters = chosen("The task.")
    train: LayersTrain = field(default_factory=LayersTrain)
    constants: ConstantsTrain = field(default_factory=ConstantsTrain)
    eval: EvalBlocks = field(default_factory=lambda: EvalBlocks(4000, 2000))
    orders: int = at_least_two(4, "Random orders of each prompt's examples.")
    seeds: int = number_of_seeds(3)

    def check(self) -> None:
        if self.task.name not in TASKS:
            raise ConfigError(
                f"task={self.task.name}: it does not tell online learners apart; allowed: {', '.join(TASKS)}"
            )
