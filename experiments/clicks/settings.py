"""The settings shared by all kinds that train decoders of click streams. No JAX here."""

from dataclasses import dataclass

from lab.config.base import LARGEST, marked
from lab.config.choices import Position, StreamScheme
from lab.config.decoder import DecoderShape, DecoderTrain
from lab.config.key_checks import check_heads
from lab.config.training import EvalDraws
from tasks.settings import at_least_two, key, nonnegative, positive


@dataclass
class StreamModel(DecoderShape):
    """The decoder and its prompts."""

    width: int = positive(32)
    mlp_width: int = positive(128)
    positions: Position = key(Position.rope, "Encoding of positions.")
    scheme: StreamScheme = key(
        StreamScheme.naive, "Masks, positions and resets of attention in a prompt of several targets."
    )
    targets: int = positive(50, "k, the targets of a training prompt; 1: a sliding window.")
    ymin: float = key(
        0.0, "Least weight of a reset, for near interactions.", at_least=0, at_most=1, within="ymax", traced=True
    )
    ymax: float = key(1.0, "Largest weight of a reset, for distant interactions.", at_least=0, at_most=1, traced=True)
    slope: float = key(
        1.0, "Slopes of ALiBi for [SUM]s without a position, in its own.", at_least=0, at_most=LARGEST, traced=True
    )
    block: int | None = key(
        None, "Interactions per block of banded attention; 0: one block; null: the faster.", at_least=0, at_most=LARGEST
    )

    def check(self) -> None:
        """Check that the settings fit together.

        Raises:
            ConfigError: the heads do not fit the width.
        """
        check_heads(self, "model.positions=rope" if self.positions is Position.rope else "")


@dataclass
class StreamTrain(DecoderTrain):
    """The training of the decoder."""

    steps: int = positive(1200, "Steps of the optimiser.")
    batch_size: int = positive(10, "Users per step.")
    eval_every: int = positive(300, "Steps between two evaluations.")


@dataclass
class StreamEval(EvalDraws):
    """The test users, on whom the decoder is measured."""

    users: int = at_least_two(800, "Test users.")
    block: int = key(
        100, "Users drawn at a time; evaluations during training take one such block.", at_least=2, at_most=10_000
    )
    # On two EPYC cores 5 take 2.5 s; as many as fit the memory take 3.8 s.
    chunk: int = marked(nonnegative(5, "Users measured at a time; 0: all that fit into memory."), not_hashed=True)
