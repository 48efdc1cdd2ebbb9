"""Settings of `momentum_attention`: decoders with and without a moving average of values in addition to attention.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import Base
from lab.config.choices import Optimizer, Position
from lab.config.key_checks import check_heads
from lab.config.training import EvalEpisodes, Train, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import Parameters, above_zero, chosen, key, positive, several


@dataclass
class SmallModel:
    """The decoder; each of its heads has keys and values of its own."""

    num_layers: int = key(2, "Layers of the decoder.", at_least=1, at_most=64)
    width: int = positive(48, "D, the width of a token.")
    num_heads: int = positive(2, "Heads of each attention layer.")
    mlp_width: int = positive(192, "Hidden units of each layer's MLP.")


@dataclass
class MomentumTrain(Train):
    """The training of the decoders."""

    steps: int = positive(800, "Steps of the optimiser.")
    batch_size: int = positive(16, "Sequences per step.")
    optimizer: Optimizer | None = key(Optimizer.adamw, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.003, "Largest learning rate; null: the optimiser's own.", above=0)
    init_scale: float = above_zero(1.0, "Variance of initial weights times their fan-in.")
    eval_every: int = positive(50, "Steps between two evaluations; it must divide half of train.steps.")


@dataclass
class MomentumAttention(Base):
    """Decoders learn to predict sequences, with and without momentum in addition to attention, from the same initial
    weights and on the same batches."""

    GROUPS: ClassVar = {"task": "markov"}
    FIRST: ClassVar = ["task", "seeds", "positions", "eta", "train.steps", "train.learning_rate", "task.num_context",
                       "model.num_layers", "model.width", "eval.episodes"]  # fmt: skip
    TINY: ClassVar = ["experiment=momentum_attention", "task.num_context=6", "task.num_symbols=3", "model.width=8",
                      "model.mlp_width=8", "train.steps=8", "train.eval_every=2", "train.batch_size=4", "seeds=2",
                      "eval.episodes=10", "eta=[0.5,0.9]", "positions=[none,rope]"]  # fmt: skip

    task: Parameters = chosen("The task whose sequences are learned.")
    model: SmallModel = field(default_factory=SmallModel)
    train: MomentumTrain = field(default_factory=MomentumTrain)
    positions: list[Position] = several(
        [Position.none, Position.learned, Position.rope], "Encodings of positions, each with and without momentum."
    )
    eta: list[float] = several([0.1, 0.5, 0.9], "Rates of the moving average of values.", above=0, at_most=1)
    seeds: int = number_of_seeds(3)
    eval: EvalEpisodes = field(default_factory=lambda: EvalEpisodes(250))

    def check(self) -> None:
        check_heads(self.model, "positions=rope" if Position.rope in self.positions else "")
        train = self.train
        if train.until is not None:
            raise ConfigError("train.until: runs are compared after half of train.steps and after all; leave it out")
        if train.steps % (2 * train.eval_every):
            raise ConfigError(
                f"train.eval_every={train.eval_every}: must divide half of train.steps={train.steps}, where runs are "
                "compared"
            )
