"""The settings shared by all kinds that train decoders. No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, marked
from lab.config.choices import AttentionKind, Optimizer, Position, SequenceKind
from lab.config.key_checks import check_heads
from lab.config.training import Eval, Population, Train, TrainsTogether, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import Parameters, above_zero, at_least_two, chosen, key, positive


@dataclass
class DecoderShape:
    """The decoder: softmax attention and an MLP in each layer."""

    num_layers: int = key(3, "Layers of the decoder; each is compiled, and 64 take minutes.", at_least=1, at_most=64)
    width: int = positive(64, "D, the width of a token.")
    num_heads: int = positive(4, "Heads of each attention layer.")
    mlp_width: int = positive(256, "Hidden units of each layer's MLP.")

    def check(self) -> None:
        """Check that the heads fit the width (ConfigError)."""
        check_heads(self)


@dataclass
class Model(DecoderShape):
    """The decoder."""

    num_groups: int | None = key(
        None, "Groups of heads that share keys and values; null: a group per head.", at_least=1
    )
    instructions: int = key(4, "Learned tokens in front of the prompt.", at_least=0, at_most=LARGEST)
    attention: AttentionKind = key(AttentionKind.softmax, "Kind of attention.")
    positions: Position = key(Position.none, "Encoding of positions.")
    layout: SequenceKind = key(SequenceKind.merged, "Tokens of an example: one of x and y (merged), or x, then y.")
    recurrent: bool = key(False, "All layers share one block of weights.")

    def check(self) -> None:
        """Check that the settings fit together (ConfigError)."""
        check_heads(self, "model.positions=rope" if self.positions is Position.rope else "")
        if self.num_heads % (self.num_groups or self.num_heads):
            raise ConfigError(f"model.num_groups={self.num_groups}: must divide model.num_heads={self.num_heads}")
        if self.positions is Position.alibi and self.attention is AttentionKind.linear:
            raise ConfigError("model.positions=alibi adds to the exponent of softmax attention, and linear has none")


@dataclass
class DecoderTrain(Train):
    """The training of a decoder."""

    steps: int = positive(3000, "Steps of the optimiser.")
    batch_size: int = positive(64, "Episodes per step.")
    optimizer: Optimizer | None = key(Optimizer.adamw, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.004, "Largest learning rate; null: the optimiser's own.", above=0, traced=True)
    init_scale: float = marked(above_zero(1.0, "Variance of initial weights times their fan-in."), traced=True)
    eval_every: int = positive(500, "Steps between two evaluations.")


@dataclass
class DecoderEval(Eval):
    """The test episodes, and the lengths of context on which the decoder is measured."""

    episodes: int = at_least_two(4000, "Test episodes.")
    examples: list[int] = key(
        [], "Numbers of examples to measure with; empty: 0, N/4, N/2 and N.", at_least=0, at_most=LARGEST
    )


@dataclass
class TrainsDecoder(TrainsTogether):
    """The keys of every kind that trains decoders."""

    GROUPS: ClassVar = {"task": None}

    task: Parameters = chosen("The task that the decoder learns in context.")
    model: Model = field(default_factory=Model)
    train: DecoderTrain = field(default_factory=DecoderTrain)
    eval: Eval = field(default_factory=Eval)
    seeds: int = number_of_seeds(1)
    population: Population = field(default_factory=Population)

    def check(self) -> None:
        self.model.check()


@dataclass
class SmallModel(Model):
    """The decoder; small, so that thousands of steps take minutes on a CPU."""

    width: int = positive(32)
    mlp_width: int = positive(64)
    instructions: int = key(1, at_least=0, at_most=LARGEST)


@dataclass
class FunctionsTrain(DecoderTrain):
    """The training of a decoder on a class of functions."""

    steps: int = positive(4000, "Steps of the optimiser.")
    optimizer: Optimizer | None = key(Optimizer.muon, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.01, "Largest learning rate; null: the optimiser's own.", above=0, traced=True)


@dataclass
class FunctionsEval(Eval):
    """The test episodes, and the episodes of evaluations during training."""

    episodes: int = key(10_000, "Test episodes of each seed.", at_least=2, at_most=LARGEST, after_training=True)
    episodes_in_training: int = key(
        2000, "Test episodes of each evaluation during training.", at_least=2, at_most=LARGEST
    )

    @property
    def in_training(self) -> int:
        return self.episodes_in_training
