"""Settings of `dti_cost`: the savings of prompts of many targets, counted and measured. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST
from lab.config.choices import Optimizer, Position, StreamScheme
from lab.config.timed import SECONDS, InTurns
from lab.errors import ConfigError
from tasks.settings import above_zero, key, positive, several

SIZE = ("n", "k", "c", "d")  # window, targets of a prompt, tokens of an interaction, width
SIZES = [[n, k * n, c, d] for n, c, d in ((10, 3, 32), (20, 3, 32), (20, 12, 64)) for k in (1, 2, 5)]


@dataclass
class CostModel:
    """The decoder, whose width is part of a size; its MLPs are four times as wide."""

    num_layers: int = key(3, "Layers of the decoder.", at_least=1, at_most=64)
    num_heads: int = positive(4, "Heads of each attention layer.")
    positions: Position = key(Position.rope, "Encoding of positions.")
    scheme: StreamScheme = key(
        StreamScheme.naive, "Masks, positions and resets of attention in a prompt of several targets."
    )


@dataclass
class DtiCost(InTurns):
    """Sliding windows and prompts of many targets are compared on the same targets: formulas, operations and times."""

    FIRST: ClassVar = ["sizes", "blocks", "targets", "tokens", "model.num_layers", "model.scheme", "optimizer",
                       "rounds", "seconds"]  # fmt: skip
    TINY: ClassVar = ["experiment=dti_cost_source", "sizes=[[2,2,2,4],[2,4,2,4]]", "blocks=[1]", "targets=4",
                      "tokens=20", "growth=[1,2,3,4]", "rounds=2", "seconds=0.001", "model.num_layers=1",
                      "model.num_heads=2"]  # fmt: skip

    sizes: list[list[int]] = several(
        [[*size] for size in SIZES], "Sizes [n, k, c, d]: window, targets, tokens of an interaction, width."
    )
    blocks: list[int] = several(
        [1, 2, 4],
        "Blocks of banded attention hold n / b interactions, for each of these b.",
        at_least=1,
        at_most=LARGEST,
    )
    growth: list[int] = key(
        [],
        "Numbers of targets of a prompt by which its operations are fitted, of the first size.",
        at_least=1,
        at_most=LARGEST,
    )
    model: CostModel = field(default_factory=CostModel)
    optimizer: Optimizer = key(Optimizer.adamw, "The optimiser of the training steps.")
    targets: int = positive(400, "Targets per batch, rounded up to whole prompts.")
    tokens: int = positive(1000, "Tokens computed at a time, in whole prompts, by programs that split a batch.")
    rounds: int = positive(7, "Rounds of measurements, in each of which all programs of a size run once.")
    seconds: float = above_zero(0.2, SECONDS, unit="seconds")

    def check(self) -> None:
        super().check()
        if self.growth and len({*self.growth}) < 4:
            raise ConfigError(f"growth={self.growth}: four different numbers at least, for a parabola and its error")
        for size in self.sizes:
            if len(size) != len(SIZE) or min(size) < 1 or max(size) > LARGEST:
                raise ConfigError(f"sizes: {size} is not [{', '.join(SIZE)}], four whole numbers >= 1")
            if size[2] < 2:
                raise ConfigError(f"sizes: {size} has {size[2]} token in an interaction; its label and a feature are 2")
            head, left = divmod(size[3], self.model.num_heads)
            if left or (self.model.positions is Position.rope and head % 2):
                raise ConfigError(
                    f"sizes: {size} has the width {size[3]}: model.num_heads={self.model.num_heads} must divide it, "
                    "and with model.positions=rope twice that number"
                )
