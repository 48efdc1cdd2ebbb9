"""All that is static about a decoder of click streams."""

import dataclasses

from lab.config.choices import Position
from lab.learners.stream_schemes import SCHEMES, Scheme
from tasks.tastes import Tastes

BANDED_FROM = 2  # times the window: targets of a prompt from which banded attention is used; see `block_of`


@dataclasses.dataclass(frozen=True)
class StreamShape:
    scheme: Scheme
    num_context: int  # n, the window
    num_targets: int  # k, of a prompt
    longest: int  # the most targets that a prompt may ever have, for learned positions
    num_features: int  # F
    vocabulary: int  # of features
    width: int = 32  # D
    num_layers: int = 3
    num_heads: int = 4
    mlp_width: int = 128
    positions: Position = Position.rope
    block: int | None = None  # interactions of a block of banded attention; None: one, of the whole prompt

    @classmethod
    def of(cls, model: object, num_context: int, **others) -> "StreamShape":
        """What settings of a decoder say, a dataclass that has fields of these names and a `scheme`, `targets` and a
        `block`; `others` are what only the data can tell: `longest`, `num_features`, `vocabulary`."""
        said = {f.name: getattr(model, f.name) for f in dataclasses.fields(cls) if hasattr(model, f.name)}
        of_prompts = {
            "scheme": SCHEMES[model.scheme],
            "num_context": num_context,
            "num_targets": model.targets,
            "block": block_of(model.block, num_context, model.targets),
        }
        return cls(**said | of_prompts | others)

    @classmethod
    def of_task(cls, model: object, task: Tastes) -> "StreamShape":
        """Return the structure of a decoder on the streams of a task, from the settings of the model."""
        width = dict(task.features)["x"]
        return cls.of(model, task.num_context, longest=task.num_targets, num_features=width, vocabulary=task.vocabulary)

    @property
    def head_width(self) -> int:
        """A."""
        return self.width // self.num_heads

    @property
    def slots(self) -> tuple[int, ...]:
        """The order of an interaction's tokens, features and then the label; what is odd stands before one of them."""
        return tuple(range(0, 2 * self.num_features + 1, 2))


def block_of(block: int | None, num_context: int, num_targets: int) -> int | None:
    """Interactions of a block of attention, as the setting says or as is faster; None for a single block.

    What is faster was measured by `dti_cost` on two busy CPU cores, forward and backward, in seconds of the processor;
    times of the full matrix over those of blocks of n / n/2 / n/4 interactions (to about a tenth):

        n, tokens of an interaction, width    k = n                k = 2n               k = 5n
        10, 3, 32                              .85 /  .69 /  .48    1.00 /  .94 /  .80   1.18 / 1.12 / 1.08
        20, 3, 32                              .84 / 1.03 /  .76    1.22 / 1.18 / 1.03   2.47 / 2.16 / 2.12
        20, 12, 64                            1.07 / 1.13 / 1.09    1.29 / 1.48 / 1.31   2.12 / 2.18 / 2.09

    Smaller blocks save operations, but their products are smaller too.
    """
    if block is not None:
        return block or None
    return num_context if num_targets >= BANDED_FROM * num_context else None
