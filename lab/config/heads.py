"""Whether the heads of a decoder fit its width. No JAX here: `--help` is instant."""

from typing import Protocol

from lab.errors import ConfigError


class HasHeads(Protocol):
    """The section `model` of settings."""

    width: int
    num_heads: int


def check_heads(model: HasHeads, rope: str = "") -> None:
    """
    Args:
        rope: the word that asks for rotary positions; empty: none does.

    Raises:
        ConfigError: heads of different widths, or of a width that rotary positions cannot turn.
    """
    if model.width % model.num_heads:
        raise ConfigError(f"model.num_heads={model.num_heads}: must divide model.width={model.width}")
    if rope and (model.width // model.num_heads) % 2:
        raise ConfigError(f"{rope}: model.width / model.num_heads must be even, as pairs turn")
