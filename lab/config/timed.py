"""The settings shared by all kinds that time programs. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import Base, Hosts
from lab.config.choices import Optimizer
from lab.config.stack import Model
from lab.config.training import Population, Train, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import Parameters, above_zero, chosen, key, positive

ROUNDS = "Rounds of measurements, in each of which every program runs once."
SECONDS = "About how long one measurement takes."


@dataclass
class InTurns(Base):
    """Programs are timed in turns by one process."""

    rounds: int = positive(9, ROUNDS)
    seconds: float = above_zero(0.3, SECONDS, unit="seconds")

    def check(self) -> None:
        if self.hosts != Hosts():
            raise ConfigError("hosts: times are measured on one device; leave hosts.* out")


@dataclass
class SpeedTrain(Train):
    """The training steps that are timed."""

    batch_size: int = positive(512, "Episodes per step.")
    optimizer: Optimizer | None = key(
        Optimizer.adam, "The optimiser, the same at every depth; null: it depends on the depth."
    )


@dataclass
class Timed(InTurns):
    """The training that is timed."""

    GROUPS: ClassVar[dict[str, str | None]] = {"task": "plain"}

    task: Parameters = chosen("The task that is trained on.")
    model: Model = field(default_factory=Model)
    train: SpeedTrain = field(default_factory=SpeedTrain)
    seeds: int = number_of_seeds(1)
    population: Population = field(default_factory=Population)
    examples: int = positive(2**19, "Most context examples of a batch; with longer contexts it has fewer episodes.")
