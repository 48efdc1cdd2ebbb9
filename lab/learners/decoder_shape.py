"""The static description of a decoder: its sizes, its layout, its kinds of attention and positions."""

import dataclasses
from typing import Protocol

from lab.attention.positional import Alibi, Learned, Positions, Rope
from lab.config.choices import AttentionKind, Position
from lab.layouts.sequence import SequenceLayout

POSITIONS: dict[Position, type[Positions]] = {
    Position.none: Positions,
    Position.learned: Learned,
    Position.rope: Rope,
    Position.alibi: Alibi,
}


class Settings(Protocol):
    """The settings of a decoder: a dataclass whose fields have names of `Shape`, `num_heads` among them."""

    num_heads: int


@dataclasses.dataclass(frozen=True)
class Shape:
    """The static description of a decoder: everything but its weights."""

    layout: SequenceLayout
    num_context: int  # N, the largest number of examples in a prompt
    width: int = 64  # D
    num_layers: int = 3
    num_heads: int = 4
    num_groups: int = 4  # G, groups of heads that share keys and values; if equal to num_heads, no heads share
    mlp_width: int = 256
    instructions: int = 4  # number of learned tokens in front of every prompt
    attention: AttentionKind = AttentionKind.softmax
    positions: Position = Position.none
    recurrent: bool = False  # one block, applied num_layers times

    @classmethod
    def of(cls, model: Settings, layout: SequenceLayout, num_context: int, **others) -> "Shape":
        """Return the shape of a decoder with these settings.

        Args:
            model: gives every field that it has; `num_groups` None means that no heads share keys and values.
            others: values of fields, which take precedence over those of `model`.
        """
        options = {f.name: getattr(model, f.name) for f in dataclasses.fields(cls) if hasattr(model, f.name)}
        options["num_groups"] = options.get("num_groups") or model.num_heads
        return cls(**options | {"layout": layout, "num_context": num_context} | others)

    @property
    def head_width(self) -> int:
        """Return A, the width of one head."""
        return self.width // self.num_heads

    @property
    def num_blocks(self) -> int:
        """Return how many blocks have weights of their own."""
        return 1 if self.recurrent else self.num_layers

    @property
    def length(self) -> int:
        """Return the number of positions in the longest prompt: instructions, context, and one query after them."""
        return self.instructions + self.layout.PER_EXAMPLE * self.num_context + 1
