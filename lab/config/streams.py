"""The settings shared by all kinds that train decoders of click streams. No JAX here."""

from dataclasses import dataclass, field

from lab.config.base import LARGEST, marked
from lab.config.choices import Optimizer, Position, StreamScheme
from lab.config.heads import check_heads
from lab.config.training import Eval, Train
from lab.errors import ConfigError
from tasks.settings import above_zero, at_least_two, nonnegative, positive


@dataclass
class StreamModel:
    """The decoder and its prompts."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(32)  # D
    num_heads: int = positive(4)
    mlp_width: int = positive(128)
    positions: Position = Position.rope
    scheme: StreamScheme = StreamScheme.naive  # its attention in a prompt of several targets
    targets: int = positive(50)  # k, the targets of a training prompt; 1: a sliding window
    # Bounds of a reset's weight (`lab.attention.reset`).
    ymin: float = field(default=0.0, metadata={"at_least": 0, "at_most": 1, "traced": True})
    ymax: float = field(default=1.0, metadata={"at_least": 0, "at_most": 1, "traced": True})
    # Interactions per block of banded attention; 0: one block of all; null: whichever is faster for these prompts.
    block: int | None = field(default=None, metadata={"at_least": 0, "at_most": LARGEST})

    def check(self) -> None:
        """Check that the settings fit together.

        Raises:
            ConfigError: the heads do not fit the width, or ymin exceeds ymax.
        """
        check_heads(self, "model.positions=rope" if self.positions is Position.rope else "")
        if self.ymin > self.ymax:
            raise ConfigError(f"model.ymin={self.ymin:g}: at most model.ymax={self.ymax:g}")


@dataclass
class StreamTrain(Train):
    """The training of the decoder."""

    steps: int = positive(1200)
    batch_size: int = positive(10)  # users per step
    optimizer: Optimizer | None = Optimizer.adamw
    learning_rate: float | None = field(default=0.004, metadata={"above": 0, "traced": True})
    init_scale: float = marked(above_zero(1.0), traced=True)  # variance of initial weights times their fan-in
    eval_every: int = positive(300)


@dataclass
class StreamEval(Eval):
    """The test users, on whom the decoder is measured."""

    episodes: int = at_least_two(800)  # users
    # Users that are drawn at a time. Evaluations during the training take one such block.
    block: int = field(default=100, metadata={"at_least": 2, "at_most": 10_000})
    # Users that are measured at a time. On two EPYC cores 5 take 2.5 s where as many as fit the memory take 3.8.
    chunk: int = marked(nonnegative(5), not_hashed=True)
