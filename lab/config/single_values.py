"""Words KEY=VALUE that set one number, truth value, text or choice, set without Hydra.

Hydra takes a tenth of a second for a command line, and many command lines differ in such words alone: the points of a
sweep, or finished runs that are compared with what their commands make today. What the other words stand for is
composed once for all of them. Such a word sets what it would set by Hydra; wherever that is not certain (a list, a
value of another type, a text with an interpolation, a key that another word concerns too) Hydra is asked.
"""

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Sequence

from hydra.core.override_parser.types import Override, OverrideType

from lab.config.base import Base
from lab.config.words import CHOICES, parse_word

EARLIER = (*CHOICES, "size", "use")  # keys whose values are used before the settings are composed
PLAIN = (bool, int, float, str)
hints = functools.cache(typing.get_type_hints)


def divided(words: Sequence[str]) -> tuple[list[str], dict[str, object]]:
    """Divide the words of a command line.

    Args:
        words: as a user gave them; each is understood by Hydra's grammar.

    Returns:
        (words that are to be composed, {key: value} of the others). No word of one part concerns a key of the other.
    """
    values: dict[str, object] = {}
    rest = []
    for word in words:
        override = parse_word(word)
        if _is_single(override):
            values[override.key_or_group] = override.value()  # of a key that is given twice, the second word counts
        else:
            rest.append(word)
    keys = {key for word in rest if (key := parse_word(word).key_or_group) not in CHOICES}  # a choice is made first
    if any(_concern(key, other) for key in keys for other in values):
        return list(words), {}
    return rest, values


def are_set(settings: Base, values: dict[str, object]) -> bool:
    """Set values in settings, in place; False where one is not certainly what Hydra would make of it.

    Args:
        values: {key: value}, as `divided` gives them.
    """
    return all(_is_set(settings, key, value) for key, value in values.items())


def _is_single(override: Override) -> bool:
    key, value = override.key_or_group, override.value()
    if override.type is not OverrideType.CHANGE or override.package is not None or key in EARLIER or "/" in key:
        return False
    return type(value) in PLAIN and not (isinstance(value, str) and ("$" in value or value == "???"))


def _concern(key: str, other: str) -> bool:
    """Return whether one of two keys is the other one, or a section around it."""
    return f"{key}.".startswith(f"{other}.") or f"{other}.".startswith(f"{key}.")


def _is_set(settings: Base, key: str, value: object) -> bool:
    *sections, name = key.split(".")
    node: object = settings
    for section in sections:
        node = getattr(node, section) if section in _fields(node) else None
    if name not in _fields(node) or (sections and name == "name"):  # the name of a choice is no value to be set
        return False
    converted = _converted(value, hints(type(node))[name])
    if converted is None:
        return False
    try:
        setattr(node, name, converted)
    except dataclasses.FrozenInstanceError:
        return False
    return True


def _fields(node: object) -> set[str]:
    """The fields that can be set alone: none where a class computes something of them when it is made."""
    if not dataclasses.is_dataclass(node) or hasattr(node, "__post_init__"):
        return set()
    return {field.name for field in dataclasses.fields(node)}


def _converted(value: object, annotation: object) -> object | None:
    """The value as a field of this type has it; None where its type is another one."""
    union = typing.get_origin(annotation) in (types.UnionType, typing.Union)
    allowed = typing.get_args(annotation) if union else (annotation,)
    if type(value) in allowed:
        return value
    if isinstance(value, str):
        choices = [each for each in allowed if isinstance(each, type) and issubclass(each, enum.Enum)]
        return next((choice[value] for choice in choices if value in choice.__members__), None)
    return float(value) if type(value) is int and float in allowed else None
