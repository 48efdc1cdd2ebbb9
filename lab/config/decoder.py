"""The settings shared by all kinds that train decoders. No JAX here: `--help` is instant."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import LARGEST, Base, marked
from lab.config.choices import AttentionKind, Optimizer, Position, SequenceKind
from lab.config.heads import check_heads
from lab.config.identity import program_key
from lab.config.training import Eval, Population, Train
from lab.errors import ConfigError
from tasks.settings import Parameters, above_zero, at_least_two, positive


@dataclass
class Model:
    """The decoder."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})  # each is compiled: 64 take minutes
    width: int = positive(64)  # D
    num_heads: int = positive(4)
    # Groups of heads; the heads of a group share keys and values. null: every head has its own.
    num_groups: int | None = field(default=None, metadata={"at_least": 1})
    mlp_width: int = positive(256)
    # Learned tokens in front of the prompt.
    instructions: int = field(default=4, metadata={"at_least": 0, "at_most": LARGEST})
    attention: AttentionKind = AttentionKind.softmax
    positions: Position = Position.none
    layout: SequenceKind = SequenceKind.merged
    recurrent: bool = False  # all layers share one block of weights


@dataclass
class DecoderTrain(Train):
    """The training of a decoder."""

    steps: int = positive(3000)
    batch_size: int = positive(64)
    optimizer: Optimizer | None = Optimizer.adamw
    learning_rate: float | None = field(default=0.004, metadata={"above": 0, "traced": True})
    init_scale: float = marked(above_zero(1.0), traced=True)  # variance of initial weights times their fan-in
    eval_every: int = positive(500)


@dataclass
class DecoderEval(Eval):
    """The test episodes, and the lengths of context on which the decoder is measured."""

    episodes: int = at_least_two(4000)
    # Numbers of examples in the context; empty: 0, N/4, N/2 and N.
    examples: list[int] = field(default_factory=list, metadata={"at_least": 0, "at_most": LARGEST})


@dataclass
class TrainsDecoder(Base):
    """The keys of every kind that trains decoders."""

    GROUPS: ClassVar = {"task": None}

    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST, "traced": True})
    task: Parameters = MISSING
    model: Model = field(default_factory=Model)
    train: DecoderTrain = field(default_factory=DecoderTrain)
    eval: Eval = field(default_factory=Eval)
    population: Population = field(default_factory=Population)

    def together(self) -> Hashable:
        """Return a key that is equal for points that differ in traced numbers alone: they train as one population."""
        return program_key(self)

    def check(self) -> None:
        model = self.model
        check_heads(model, "model.positions=rope" if model.positions is Position.rope else "")
        if model.num_heads % (model.num_groups or model.num_heads):
            raise ConfigError(f"model.num_groups={model.num_groups}: must divide model.num_heads={model.num_heads}")
        if model.positions is Position.alibi and model.attention is AttentionKind.linear:
            raise ConfigError("model.positions=alibi adds to the exponent of softmax attention, and linear has none")
