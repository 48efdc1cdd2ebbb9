"""A check that the heads of a decoder fit its width. No JAX here: `--help` is instant."""

from typing import Protocol

from lab.errors import ConfigError


class HasHeads(Protocol):
    """The section `model` of the settings of a kind that has a decoder."""

    width: int
    num_heads: int


def check_heads(model: HasHeads, rope: str = "") -> None:
    """Check that the number of heads divides the width, and that rotary positions can rotate pairs of coordinates.

    Args:
        rope: the command-line word that chooses rotary positions; empty: the decoder has none.

    Raises:
        ConfigError: the heads would have different widths, or with rotary positions an odd width.
    """
    if model.width % model.num_heads:
        raise ConfigError(f"model.num_heads={model.num_heads}: must divide model.width={model.width}")
    if rope and (model.width // model.num_heads) % 2:
        raise ConfigError(f"{rope}: model.width / model.num_heads must be even, as pairs turn")
