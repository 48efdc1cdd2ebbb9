"""Settings of `decoder_speed`: the time of a decoder's training step, compared with other programs of the same decoder.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.decoder import DecoderShape
from lab.config.timed import SECONDS, InTurns
from tasks.settings import above_zero, positive


@dataclass
class DecoderSpeed(InTurns):
    """A decoder learns linear functions; one process times three programs of its training step in turns: the lab's, one
    written by hand in JAX, and PyTorch's Transformer where it is installed."""

    SWEEP_FIGURE: ClassVar = "decoder_speed"
    FIRST: ClassVar = ["model.num_layers", "model.width", "model.num_heads", "prompts", "examples", "input_dim",
                       "rounds", "seconds"]  # fmt: skip
    TINY: ClassVar = ["experiment=decoder_speed", *smoke.WIDTHS, "model.num_layers=1", "prompts=2", "input_dim=2",
                      "rounds=2", "seconds=0.001", "parts={small: ['examples=2'], large: ['examples=3']}",
                      "~parts.source"]  # fmt: skip

    model: DecoderShape = field(default_factory=DecoderShape)
    prompts: int = positive(64, "Prompts per training step.")
    examples: int = positive(20, "Examples per prompt; each is two tokens.")
    input_dim: int = positive(8, "Width of an input x.")
    seconds: float = above_zero(1.0, SECONDS, unit="seconds")

    def check(self) -> None:
        super().check()
        self.model.check()
