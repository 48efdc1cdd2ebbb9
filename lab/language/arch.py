"""The architecture of a pretrained language model: a table of switches, read from the `config.json` of its folder.

`lab.language.families` has one function per `model_type`; `lab.language.model` knows switches alone, and no family.
A switch of a `config.json` that would change the forward pass is either a field here or refused by name.
"""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from lab.errors import ConfigError, short

Config = Mapping[str, Any]
MOST = 2**20  # layers, heads, widths: far above every model, and small enough for tables of them
WORDS = 2**28  # words and positions
LARGEST = 1e30  # of a number that is not whole


@dataclasses.dataclass(frozen=True)
class Arch:
    """All of a language model but its weights; hashable, so that a compiled program is found by it.

    Letters: V words, D width, L layers, H heads, G groups of heads that share keys, A width of a head.
    """

    family: str
    vocabulary: int  # V
    width: int  # D
    layers: int  # L
    heads: int  # H
    groups: int  # G
    head_width: int  # A
    mlp_width: int
    max_positions: int | None  # the longest sequence; None where any length has positions
    activation: str  # a key of `lab.language.model.ACTIVATIONS`
    epsilon: float  # added to variances in norms
    scales: tuple[float, ...]  # (L,) factor of the scores of each layer
    embed_width: int  # of the table of words; projected to D and back where it differs
    rms: bool = False  # norms divide by the root mean square, and have no bias
    norm_of_embeddings: bool = False
    norm_after: bool = False  # norms come after the residual sum
    norm_at_end: bool = True
    parallel: bool = False  # attention and MLP read the same tokens
    one_norm: bool = False  # of a parallel block: attention and MLP read the same normalised tokens
    norm_of_heads: bool = False  # queries and keys of each head are normalised
    position_offset: int | None = (
        None  # rows of the table of learned positions before that of position 0; None: no table
    )
    slopes: tuple[float, ...] = ()  # (H,) of ALiBi; empty without
    frequencies: tuple[float, ...] = ()  # (R,) radians per position of rotary planes; empty without
    neighbours: bool = False  # rotary planes are coordinates 2r, 2r + 1, not r, r + R
    local: tuple[bool, ...] = ()  # (L,) layers that see a window alone; empty where none does
    window: int = 0  # tokens that a query of a local layer sees, itself included
    gated: bool = False  # MLP down(act(gate x) * up x)
    tied: bool = True  # the head is the table of words
    biases: frozenset[str] = frozenset()  # projections that have one: q, k, v, o, up, down, gate, head
    config: str = dataclasses.field(default="{}", compare=False, repr=False)  # the config.json, as text

    def needs(self, positions: int, what: str) -> None:
        """Refuse a sequence that is longer than the model's positions.

        Args:
            positions: number of tokens of the whole sequence, with those in front of it.
            what: the sequence, as the message calls it.

        Raises:
            ConfigError: the model has fewer positions.
        """
        if self.max_positions is not None and positions > self.max_positions:
            raise ConfigError(f"{what}: needs {positions} positions, and the model has {self.max_positions}")


# The functions below read or check an entry of a `config.json`. Each raises a ConfigError that names the entry where
# its value is another than they return.


def value(config: Config, names: str | Sequence[str], default: Any = ...) -> Any:
    """Return the first value that is neither missing nor null under one of the names; else the default, if any."""
    names = [names] if isinstance(names, str) else names
    for name in names:
        if config.get(name) is not None:
            return config[name]
    if default is ...:
        raise ConfigError(f"config.json: has no {' or '.join(names)}")
    return default


def refuse(config: Config, name: str, *allowed: Any) -> None:
    """Refuse a switch that has another value than these, of which the first is the default."""
    if value(config, name, allowed[0]) not in allowed:
        raise ConfigError(f"config.json: {name}={shown(config[name])} is not supported")


def whole(config: Config, names: str | Sequence[str], default: Any = ..., most: int = MOST) -> int:
    """Return a positive whole number of at most `most`."""
    number = value(config, names, default)
    if not _is(number, int) or number < 1:
        raise _wrong(names, "a positive whole number", number)
    if number > most:
        raise _wrong(names, f"at most {most:,}", number)
    return number


def number(config: Config, names: str | Sequence[str], default: Any = ...) -> float:
    """Return a positive number; infinity is none."""
    result = value(config, names, default)
    if not _is(result, int | float) or not 0 < result <= LARGEST:
        raise _wrong(names, "a positive number", result)
    return float(result)


def flag(config: Config, name: str, default: bool) -> bool:
    """Return true or false."""
    result = value(config, name, default)
    if not isinstance(result, bool):
        raise _wrong(name, "true or false", result)
    return result


def word(config: Config, name: str, default: str) -> str:
    """Return a text."""
    result = value(config, name, default)
    if not isinstance(result, str):
        raise _wrong(name, "a text", result)
    return result


def divided(width: int, heads: int) -> int:
    """Return width / heads, the width of a head; the heads divide the width."""
    if width % heads:
        raise ConfigError(f"config.json: {heads} heads do not divide the width {width}")
    return width // heads


def turning(width: int, head: int, name: str) -> int:
    """Return the number of rotary planes of `width` coordinates, two each, at most a head's."""
    if width % 2 or not 0 < width <= head:
        raise ConfigError(f"config.json: {name}: {width} of a head's {head} coordinates would turn; an even number can")
    return width // 2


def shown(something: Any) -> str:
    """Return a value as a message shows it."""
    return short(json.dumps(something))


def _is(something: Any, kind: Any) -> bool:
    return isinstance(something, kind) and not isinstance(something, bool)


def _wrong(names: str | Sequence[str], wanted: str, entry: Any) -> ConfigError:
    name = names if isinstance(names, str) else names[0]
    return ConfigError(f"config.json: {name} must be {wanted}, and is {shown(entry)}")
