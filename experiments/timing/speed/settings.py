"""Settings of `speed`: the speed of training, compared with the highest rates of the same machine. No JAX here."""

from dataclasses import dataclass
from typing import ClassVar

from lab.config.choices import LayerKind
from lab.config.timed import ROUNDS, Timed
from lab.errors import ConfigError
from tasks.settings import Tabular, positive


@dataclass
class Speed(Timed):
    """Each point is one training that is timed, beside its random numbers alone and a plain forward pass."""

    GROUPS: ClassVar = {"task": "plain"}
    SWEEP_FIGURE: ClassVar = "speed"
    FIRST: ClassVar = ["task", "task.num_context", "task.input_dim", "model.num_layers", "seeds",
                       "train.batch_size", "rounds", "seconds"]  # fmt: skip
    TINY: ClassVar = ["experiment=speed", "train.batch_size=4", "parts.layers=['model.num_layers=1,2']", "~parts.batch",
                      "~parts.width", "parts.context=['task.num_context=100,200']",
                      "parts.population=['seeds=1,2']", "seconds=0.001", "rounds=1"]  # fmt: skip

    rounds: int = positive(5, ROUNDS)

    def check(self) -> None:
        super().check()
        if self.train.until is not None:
            raise ConfigError("train.until: nothing is trained to its end here; leave it out")
        self.model.check()
        if self.model.interleaved:
            raise ConfigError("model.layout=interleaved: speed is measured on merged tokens; leave it out")
        if self.model.layer is not LayerKind.linear:
            raise ConfigError(f"model.layer={self.model.layer.name}: the ceilings of speed are those of linear layers")
        if isinstance(self.task, Tabular):
            raise ConfigError("task: the sizes of a table cannot be chosen, so its speed is not measured")
