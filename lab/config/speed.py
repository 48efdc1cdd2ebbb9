"""Settings of `speed`: how fast training is, against what the same machine does at most."""

from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import Base, Hosts
from lab.config.choices import LayerKind, Optimizer
from lab.config.comparison import Model, Population, Train
from lab.errors import ConfigError
from tasks.settings import Parameters, Tabular, above_zero, positive


@dataclass
class SpeedTrain(Train):
    batch_size: int = positive(512)
    optimizer: Optimizer | None = Optimizer.adam  # at every depth, so that depths differ in nothing else


@dataclass
class Speed(Base):
    """One point is one setting of the training that is timed; all of them are measured by one process, in turn."""

    GROUPS: ClassVar = {"task": "plain"}
    FIGURE: ClassVar = "speed"
    SWEEP_FIGURE: ClassVar = "speed"

    task: Parameters = MISSING
    model: Model = field(default_factory=Model)
    train: SpeedTrain = field(default_factory=SpeedTrain)
    population: Population = field(default_factory=Population)
    examples: int = positive(2**19)  # of context in a batch, at most: longer contexts come in smaller batches
    seconds: float = above_zero(0.3)  # that a measurement takes, about
    rounds: int = positive(5)  # of measurements

    def together(self) -> str:
        """All points, so that they are held against ceilings measured once."""
        return "speed"

    def check(self) -> None:
        if self.hosts != Hosts():
            raise ConfigError("hosts: speed is measured on one device; leave hosts.* out")
        self.model.check()
        if self.model.interleaved:
            raise ConfigError("model.layout=interleaved: speed is measured on merged tokens; leave it out")
        if self.model.layer is not LayerKind.linear:
            raise ConfigError(f"model.layer={self.model.layer.name}: the ceilings of speed are those of linear layers")
        if isinstance(self.task, Tabular):
            raise ConfigError("task: the sizes of a table cannot be chosen, so its speed is not measured")
