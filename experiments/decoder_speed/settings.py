"""Settings of `decoder_speed`: how long a decoder's training step takes, beside the same decoder elsewhere. No JAX
here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import Base, Hosts
from lab.config.heads import check_heads
from lab.errors import ConfigError
from tasks.settings import above_zero, positive


@dataclass
class DecoderSize:
    """Softmax attention and an MLP in each layer, with learned positions."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(64)  # D
    num_heads: int = positive(4)
    mlp_width: int = positive(256)


@dataclass
class DecoderSpeed(Base):
    """A decoder learns linear functions: steps of the lab's training, of the same written by hand in JAX and, where it
    is installed, of PyTorch's Transformer, timed by one process in turns."""

    FIGURE: ClassVar = "decoder_speed"
    SWEEP_FIGURE: ClassVar = "decoder_speed"
    TINY: ClassVar = ["experiment=decoder_speed", *tiny.WIDTHS, "model.num_layers=1", "prompts=2", "input_dim=2",
                      "rounds=2", "seconds=0.001", "parts={small: ['examples=2'], large: ['examples=3']}"]  # fmt: skip

    model: DecoderSize = field(default_factory=DecoderSize)
    prompts: int = positive(64)  # of a training step
    examples: int = positive(20)  # of a prompt; each is two tokens
    input_dim: int = positive(8)
    rounds: int = positive(9)  # in each of which every program runs once
    seconds: float = above_zero(1.0)  # that a measurement takes, about

    def check(self) -> None:
        if self.hosts != Hosts():
            raise ConfigError("hosts: speed is measured on one device; leave hosts.* out")
        check_heads(self.model)
