"""The settings of the small language model that the lab trains itself. No JAX here."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lab.config.choices import Optimizer
from lab.config.decoder import DecoderShape
from lab.config.key_checks import check_heads
from lab.config.training import Training
from tasks.settings import key, positive


@dataclass
class SmallModel(DecoderShape):
    """The shape of the model, a Llama with one token per word."""

    width: int = positive(96)
    num_heads: int = positive(3)
    positions: int = key(512, "Positions that its configuration allows.", at_least=16, at_most=2**20)

    def check(self) -> None:
        """Check that the heads fit the width (ConfigError)."""
        check_heads(self, "the model's rotary positions")


@dataclass
class SmallTraining(Training):
    """The training of the model, on the next token."""

    steps: int = positive(800, "Steps of the optimiser.")
    batch_size: int = positive(32, "Documents per step.")
    optimizer: Optimizer | None = key(Optimizer.adamw, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.003, "Largest learning rate; null: the optimiser's own.", above=0)


@runtime_checkable
class KeepsModel(Protocol):
    """The settings of a run that stores a trained model, `rows` texts to demonstrate, and as many texts to score."""

    model: SmallModel
    rows: int

    @property
    def has_points(self) -> bool: ...
