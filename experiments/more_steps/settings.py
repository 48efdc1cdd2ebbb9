"""Settings of `more_steps`: a trained layer is applied more often than in training. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import LARGEST, Base
from lab.config.lists import some_each_once
from lab.config.trained import Trained
from lab.errors import ConfigError
from tasks.settings import at_least_two


@dataclass
class TrainedLayer(Trained):
    """A Transformer of an experiment of the kind comparison."""

    experiment: str = "plain"

    def of_layers(self, layers: int) -> list[str]:
        """Return the words of the run whose layer is applied `layers` times in training."""
        return [*self.command, f"model.num_layers={layers}"]


@dataclass
class MoreSteps(Base):
    """A layer that was trained alone, or in a loop, is applied up to `times` times, with several dampings. It is
    compared with gradient descent of as many steps and the same damping."""

    FIGURE: ClassVar = "more_steps"
    TINY: ClassVar = ["experiment=more_steps",
                      *tiny.trained([*tiny.COMPARISON, "task.input_dim=2", "task.num_context=3"]),
                      "episodes=40", "layers=[1,2]", "dampings=[1,0.875,0.75]", "times=4"]  # fmt: skip

    model: TrainedLayer = field(default_factory=TrainedLayer)
    # How often the layer is applied in training, with one run for each number.
    layers: list[int] = field(default_factory=lambda: [1, 2, 5], metadata={"at_least": 1, "at_most": 64})
    # Factors of the layer's update of the tokens, and of gradient descent's rate.
    dampings: list[float] = field(
        default_factory=lambda: [1.0, 0.875, 0.75, 0.5], metadata={"above": 0, "at_most": 1e4}
    )
    times: int = field(default=50, metadata={"at_least": 2, "at_most": LARGEST})  # most applications of the layer
    episodes: int = at_least_two(4000)  # test episodes per seed

    def check(self) -> None:
        some_each_once("layers", self.layers)
        some_each_once("dampings", self.dampings)
        if max(self.layers) > self.times:
            raise ConfigError(f"times={self.times}: at least as often as in training, {max(self.layers)} times")

    def inputs(self) -> list[list[str]]:
        return [self.model.of_layers(layers) for layers in self.layers]
