"""The static description of a decoder of click streams."""

import dataclasses
from typing import Protocol

from lab.config.choices import Position, StreamScheme
from lab.learners.stream_schemes import SCHEMES, Scheme
from tasks.click_streams import Tastes

FEWEST_TOKENS = 100  # half a window is a block where it has at least so many


def block_of(block: int | None, num_context: int, num_targets: int, num_features: int) -> int | None:
    """Return the number of interactions in a block of attention; None for a single block.

    The setting `block` decides (0 for a single block). Where it is None, the choice is the fastest one measured on a
    CPU core: a single block for short prompts; for longer prompts blocks of half a window, or of a whole window where
    half a window has too few tokens. Smaller blocks save operations, but their products are smaller too.
    `docs/results/dti_cost_blocks.csv` has the times.

    Args:
        num_context: n, the window.
        num_targets: k, the targets of a prompt.
        num_features: the features of an interaction. Its tokens are its features and its label.
    """
    if block is not None:
        return block or None
    half = -(-num_context // 2)
    if half * (num_features + 1) >= FEWEST_TOKENS:
        return half if 2 * num_targets >= 3 * num_context else None
    return num_context if num_targets >= 2 * num_context else None


class Settings(Protocol):
    """The settings of a decoder of streams: a dataclass with these fields and others whose names `StreamShape` has."""

    scheme: StreamScheme
    targets: int
    block: int | None


@dataclasses.dataclass(frozen=True)
class StreamShape:
    """Everything about a decoder of click streams but its weights."""

    scheme: Scheme
    num_context: int  # n, the window
    num_targets: int  # k, the targets of a prompt
    longest: int  # the largest number of targets that any prompt may have, for learned positions
    num_features: int  # F
    vocabulary: int  # number of different features
    width: int = 32  # D
    num_layers: int = 3
    num_heads: int = 4
    mlp_width: int = 128
    positions: Position = Position.rope
    block: int | None = None  # interactions in a block of banded attention; None: the whole prompt is one block

    @classmethod
    def of(cls, model: Settings, num_context: int, num_features: int, **others) -> "StreamShape":
        """Return the shape of a decoder with these settings.

        Args:
            model: gives every field that it has.
            others: the fields that depend on the data: `longest` and `vocabulary`.
        """
        options = {f.name: getattr(model, f.name) for f in dataclasses.fields(cls) if hasattr(model, f.name)}
        prompt_options = {
            "scheme": SCHEMES[model.scheme],
            "num_context": num_context,
            "num_features": num_features,
            "num_targets": model.targets,
            "block": block_of(model.block, num_context, model.targets, num_features),
        }
        return cls(**options | prompt_options | others)

    @classmethod
    def of_task(cls, model: Settings, task: Tastes) -> "StreamShape":
        """Return the structure of a decoder on the streams of a task, from the settings of the model."""
        width = dict(task.features)["x"]
        return cls.of(model, task.num_context, longest=task.num_targets, num_features=width, vocabulary=task.vocabulary)

    @property
    def head_width(self) -> int:
        """Return A, the width of one head."""
        return self.width // self.num_heads

    @property
    def slots(self) -> tuple[int, ...]:
        """Return the order of an interaction's tokens, features and then the label, as even numbers.

        An odd number is a place between two of them: a [SUM] has the one before the label.
        """
        return tuple(range(0, 2 * self.num_features + 1, 2))
