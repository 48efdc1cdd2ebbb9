"""Settings of `accelerator`: what a device must get right, and the speed of what is trained most. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.decoder import DecoderShape
from lab.config.timed import ROUNDS, InTurns
from tasks.settings import above_zero, key, positive

STEPS = 16  # of a training that one call takes; always as many, so that a later run finds the program in the cache


@dataclass
class Scale:
    """The sizes of what is checked and timed."""

    population: int = positive(512, "Layers of linear attention that train together.")
    batch_size: int = positive(256, "Episodes per step of each of these layers.")
    decoder: DecoderShape = field(default_factory=lambda: DecoderShape(6, 256, 8, 1024))
    prompts: int = positive(64, "Prompts per training step of the decoder, and prompts of the stream decoder.")
    examples: int = positive(40, "Examples per prompt of the decoder; each is two tokens.")
    window: int = positive(20, "Interactions before a target of the stream decoder, of 12 tokens each.")
    targets: int = positive(100, "Targets of a prompt of the stream decoder.")


def _small() -> Scale:
    return Scale(16, 64, DecoderShape(2, 32, 4, 128), 16, 10, 5, 10)


@dataclass
class Accelerator(InTurns):
    """One process checks what a device computes against float64, and times a population of layers, a decoder and a
    decoder of click streams."""

    FIRST: ClassVar = ["large.population", "large.batch_size", "large.prompts", "small.population", "rounds", "seconds"]
    TINY: ClassVar = ["experiment=accelerator", "small.population=2", "small.batch_size=4", "small.prompts=2",
                      "small.decoder.num_layers=1", "small.decoder.width=8", "small.decoder.num_heads=2",
                      "small.decoder.mlp_width=8", "small.examples=3", "small.window=2", "small.targets=2",
                      "rounds=2", "seconds=0.001"]  # fmt: skip

    large: Scale = field(default_factory=Scale)
    small: Scale = field(default_factory=_small)
    rounds: int = positive(5, ROUNDS)
    seconds: float = above_zero(
        0.5, "About how long one measurement takes; at least 16 steps of a training.", unit="seconds"
    )
    steps: int = key(4, "Steps of the trainings that are stopped, repeated and split.", at_least=2, at_most=1000)

    def check(self) -> None:
        super().check()
        for scale in (self.large, self.small):
            scale.decoder.check()
