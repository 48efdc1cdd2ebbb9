"""Settings of `more_steps`: a trained layer is applied more often than in training. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base
from lab.errors import ConfigError
from tasks.settings import at_least_two, positive


@dataclass
class TrainedLayer:
    """The runs that train the layer; those that are not done are run first."""

    experiment: str = "plain"  # of the kind comparison
    words: list[str] = field(default_factory=list)  # further words of its command line, such as task.scale=0.5
    seeds: int = positive(3)  # Transformers of so many seeds, trained together

    def command(self, layers: int) -> list[str]:
        """The words of the run whose layer is applied so often in training."""
        chosen = [f"experiment={self.experiment}", f"population.seeds={self.seeds}", f"model.num_layers={layers}"]
        return [*chosen, *self.words]


@dataclass
class MoreSteps(Base):
    """One layer that was trained alone, or in a loop, is applied up to `times` times with several dampings, beside
    gradient descent of as many steps, damped alike."""

    FIGURE: ClassVar = "more_steps"

    model: TrainedLayer = field(default_factory=TrainedLayer)
    # Of the layer in training; a run each.
    layers: list[int] = field(default_factory=lambda: [1, 2, 5], metadata={"at_least": 1, "at_most": 64})
    dampings: list[float] = field(
        default_factory=lambda: [1.0, 0.875, 0.75, 0.5], metadata={"above": 0, "at_most": 1e4}
    )  # factors of what the layer adds to tokens, and of gradient descent's rate
    times: int = field(default=50, metadata={"at_least": 2, "at_most": LARGEST})  # that the layer is applied, at most
    episodes: int = at_least_two(4000)  # test episodes of each seed

    def check(self) -> None:
        for key, values in (("layers", self.layers), ("dampings", self.dampings)):
            if not values:
                raise ConfigError(f"{key}=[]: at least one")
            if len({*values}) < len(values):
                raise ConfigError(f"{key}={values}: each once")
        if max(self.layers) > self.times:
            raise ConfigError(f"times={self.times}: at least as often as in training, {max(self.layers)} times")

    def inputs(self) -> list[list[str]]:
        return [self.model.command(layers) for layers in self.layers]
