"""Settings of `plateau`: layers are trained until their loss has begun to fall. No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import Base
from lab.config.choices import LayerKind
from lab.config.training import Train, first_seed, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import Parameters, above_zero, chosen, key, positive, several

PREDICTED = (LayerKind.linear, LayerKind.softmax, LayerKind.layer_norm)


@dataclass
class Plateau(Base):
    """Linear attention with merged and with separate key and query matrices is trained by plain gradient descent, and
    the lab's layers by its own recipe; the step at which each leaves its plateau is predicted before."""

    GROUPS: ClassVar = {"task": "skewed"}
    FIRST: ClassVar = ["task", "seeds", "scales", "heads", "learning_rate", "steps", "layers", "train.steps",
                       "task.num_context", "task.input_dim"]  # fmt: skip
    TINY: ClassVar = ["experiment=plateau", "task.num_context=4", "task.input_dim=2", "scales=[0.3,0.2,0.1]",
                      "learning_rate=0.5", "batch_size=8", "steps=100", "layers=[linear,softmax,layer_norm]",
                      "train.steps=40", "train.batch_size=4", "seeds=3"]  # fmt: skip

    seed: int = first_seed()
    task: Parameters = chosen("The task of plain gradient descent: plain or skewed.")
    heads: int = positive(4, "Heads of the attention that plain gradient descent trains.")
    rank: int = positive(1, "Rows of each separate key and query matrix.")
    scales: list[float] = several([0.1, 0.03, 0.01], "Standard deviations of its initial weights.", above=0, at_most=10)
    learning_rate: float = above_zero(0.05, "Rate of plain gradient descent.")
    batch_size: int = positive(128, "Episodes per step of plain gradient descent.")
    steps: int = positive(20_000, "Most steps of plain gradient descent, and of predictions for layers.")
    layers: list[LayerKind] = key([*PREDICTED], "Layers that are trained by the recipe `train`.", once=True)
    train: Train = field(default_factory=lambda: Train(1000, 256, learning_rate=0.003))
    seeds: int = number_of_seeds(12)

    def check(self) -> None:
        if self.task.name not in ("plain", "skewed"):
            raise ConfigError(f"task={self.task.name}: no plateau of it is predicted; allowed: plain, skewed")
        if self.train.until is not None:
            raise ConfigError(f"train.until={self.train.until.name}: layers train to the last step here; leave it out")
        if other := [layer.name for layer in self.layers if layer not in PREDICTED]:
            raise ConfigError(f"layers: {other[0]}: allowed: {', '.join(layer.name for layer in PREDICTED)}")
