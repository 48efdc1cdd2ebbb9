"""The settings shared by all kinds that time the training of a self-attention Transformer. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import Base
from lab.config.choices import Optimizer
from lab.config.stack import Model
from lab.config.training import Population, Train, number_of_seeds
from tasks.settings import Parameters, key, positive


@dataclass
class SpeedTrain(Train):
    """The training steps that are timed."""

    batch_size: int = positive(512, "Episodes per step.")
    optimizer: Optimizer | None = key(
        Optimizer.adam, "The optimiser, the same at every depth; null: it depends on the depth."
    )


@dataclass
class Timed(Base):
    """The training that is timed."""

    GROUPS: ClassVar[dict[str, str | None]] = {"task": "plain"}

    task: Parameters = key(MISSING, "The task that is trained on.")
    model: Model = field(default_factory=Model)
    train: SpeedTrain = field(default_factory=SpeedTrain)
    seeds: int = number_of_seeds(1)
    population: Population = field(default_factory=Population)
    examples: int = positive(2**19, "Most context examples of a batch; with longer contexts it has fewer episodes.")
