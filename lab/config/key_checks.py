"""The values that a key allows, in the words of `--help` and of error messages, and checks of keys. No JAX here."""

import enum
import math
import operator
import types
import typing
from collections.abc import Callable, Mapping

from lab.errors import ConfigError, short

BOUNDS: dict[str, tuple[str, Callable[[typing.Any, typing.Any], bool]]] = {
    "at_least": (">=", operator.ge),
    "above": (">", operator.gt),
    "at_most": ("<=", operator.le),
}
LARGEST_WHOLE = 2**31 - 1
LARGEST_NUMBER = 1e18  # its square is still finite in float32
SIZES = f"sizes from {1 / LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}"


def allowed(annotation: typing.Any, metadata: Mapping) -> str:
    """Return the values that a field allows, such as "whole number, >= 1".

    Args:
        annotation: the type of the field.
        metadata: of the field, with its bounds; with `whole`, a number of type float must be whole.
    """
    text = type_in_words(annotation)
    if metadata.get("whole"):
        text = text.replace("number", "whole number")
    return ", ".join(filter(None, [text, bounds(metadata)]))


def type_in_words(annotation: typing.Any) -> str:
    """Return the name of a type as a user sees it."""
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return " | ".join(member.name for member in annotation)
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        return " or ".join(type_in_words(part) for part in typing.get_args(annotation))
    if typing.get_origin(annotation) is list:
        return f"[{type_in_words(*typing.get_args(annotation))}, ...]"
    names = {int: "whole number", float: "number", bool: "true | false", str: "text", type(None): "null"}
    return names.get(annotation, "names and words" if typing.get_origin(annotation) is dict else str(annotation))


def bounds(metadata: Mapping) -> str:
    """Return the bounds of a field in words, empty where it has none."""
    return " and ".join(f"{sign} {_shown(metadata[name])}" for name, (sign, _) in BOUNDS.items() if name in metadata)


def check_value(key: str, value: typing.Any, metadata: Mapping) -> None:
    """Check the value of a field: what a list holds, its bounds, and that the lab can compute with a number.

    float32, in which results are computed, must hold its square.

    Raises:
        ConfigError: the value is not allowed.
    """
    word = short(f"{key}={value}")
    values = value if isinstance(value, list) else [] if value is None else [value]
    numbers = [one for one in values if isinstance(one, float)]
    if not all(map(math.isfinite, numbers)):
        raise ConfigError(f"{word}: must be a finite number")
    if metadata.get("whole") and not all(one == int(one) for one in numbers):
        raise ConfigError(f"{word}: must be a whole number")
    holding = [(BOUNDS[name][1], bound) for name, bound in metadata.items() if name in BOUNDS]
    if not all(holds(one, bound) for one in values for holds, bound in holding):
        raise ConfigError(f"{word}: must be {bounds(metadata)}")
    if not all(abs(one) <= LARGEST_WHOLE for one in values if isinstance(one, int)):
        raise ConfigError(f"{word}: must be <= {LARGEST_WHOLE}")
    if not all(number == 0 or 1 / LARGEST_NUMBER <= abs(number) <= LARGEST_NUMBER for number in numbers):
        zero = "" if "above" in metadata else "0 and "
        raise ConfigError(f"{word}: float32 holds no square of it; allowed are {zero}{SIZES}")
    if (why := metadata.get("even")) and any(one % 2 for one in values):
        raise ConfigError(f"{word}: must be even; {why}")
    if metadata.get("some") and not values:
        raise ConfigError(f"{key}=[]: at least one")
    if metadata.get("once") and any(one in values[:place] for place, one in enumerate(values)):
        words = ",".join(str(getattr(one, "value", one)) for one in values)
        raise ConfigError(f"{key}=[{words}]: each once")


def _shown(bound: float) -> str:
    return f"{bound:g}" if isinstance(bound, float) else str(bound)


class HasHeads(typing.Protocol):
    """The section `model` of the settings of a kind that has a decoder."""

    width: int
    num_heads: int


def check_heads(model: HasHeads, rope: str = "") -> None:
    """Check that the number of heads divides the width, and that rotary positions can rotate pairs of coordinates.

    Args:
        rope: the override that chooses rotary positions; empty: the decoder has none.

    Raises:
        ConfigError: the heads would have different widths, or with rotary positions an odd width.
    """
    if model.width % model.num_heads:
        raise ConfigError(f"model.num_heads={model.num_heads}: must divide model.width={model.width}")
    if rope and (model.width // model.num_heads) % 2:
        raise ConfigError(f"{rope}: model.width / model.num_heads must be even, as pairs turn")
