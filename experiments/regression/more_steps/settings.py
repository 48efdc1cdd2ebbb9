"""Settings of `more_steps`: a trained layer is applied more often than in training. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.training import EvalEpisodes, StartsFromTrained, Trained
from lab.errors import ConfigError
from tasks.settings import key, several


@dataclass
class TrainedLayer(Trained):
    """A Transformer of an experiment of the kind comparison."""

    experiment: str = key("plain", "Experiment that trains the layer; it is run first if it is not done.")


@dataclass
class MoreSteps(StartsFromTrained):
    """A layer that was trained alone, or in a loop, is applied up to `times` times, with several dampings. It is
    compared with gradient descent of as many steps and the same damping."""

    FIRST: ClassVar = ["model.experiment", "seeds", "model.words", "layers", "dampings", "times", "eval.episodes"]
    TINY: ClassVar = ["experiment=more_steps",
                      *smoke.trained([*smoke.COMPARISON, "task.input_dim=2", "task.num_context=3"]),
                      "eval.episodes=40", "layers=[1,2]", "dampings=[1,0.875,0.75]", "times=10"]  # fmt: skip

    model: TrainedLayer = field(default_factory=TrainedLayer)
    layers: list[int] = several(
        [1, 2, 5], "Numbers of times that the layer is applied in training, a run for each.", at_least=1, at_most=64
    )
    dampings: list[float] = several(
        [1.0, 0.875, 0.75, 0.5],
        "Factors of the layer's update of tokens, and of gradient descent's rate.",
        above=0,
        at_most=1e4,
    )
    times: int = key(50, "Most applications of the layer in the test.", at_least=2, at_most=LARGEST)
    eval: EvalEpisodes = field(default_factory=lambda: EvalEpisodes(4000))

    def check(self) -> None:
        if max(self.layers) > self.times:
            raise ConfigError(f"times={self.times}: at least as often as in training, {max(self.layers)} times")

    def inputs(self) -> list[list[str]]:
        return [self.of_layers(layers) for layers in self.layers]

    def of_layers(self, layers: int) -> list[str]:
        """Return the words of the run whose layer is applied `layers` times in training."""
        return [*self.command, f"model.num_layers={layers}"]
