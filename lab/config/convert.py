"""The conversion of texts, from a command line or a file of an experiment, to the types of settings."""

import enum
import re
import types
import typing
from collections.abc import Mapping, Sequence

WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
NO_NUMBER = re.compile(r"[+-]?(?:inf|nan)", re.IGNORECASE)
LOGICAL = {"true": True, "false": False}
LONGEST = 400  # characters of a number


class Quoted(str):
    """A text that was in quotes: `'null'` is a text, and `null` without quotes is no value."""


class WrongType(Exception):
    """A value is not of the type of its key."""


def converted(value: typing.Any, annotation: typing.Any) -> typing.Any:
    """Return a value converted to the type of a field.

    Args:
        value: a text, or a list or dictionary of such values.

    Raises:
        WrongType: the type has no such value.
    """
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return _of_union(value, parts)
    if origin is list and isinstance(value, Sequence) and not isinstance(value, str):
        is_text = parts[0] is str  # in a list of texts null is one
        return [str(each) if is_text and isinstance(each, str) else converted(each, parts[0]) for each in value]
    if origin is dict and isinstance(value, Mapping):
        return {name: converted(each, parts[1]) for name, each in value.items()}
    if not isinstance(value, str) or origin is not None:
        raise WrongType
    if annotation is str and not _is_null(value):
        return str(value)
    if annotation is bool and value.lower() in LOGICAL:
        return LOGICAL[value.lower()]
    if annotation is int and WHOLE.fullmatch(value) and len(value) < LONGEST:
        return int(value)
    if annotation is float and (NUMBER.fullmatch(value) or NO_NUMBER.fullmatch(value)) and len(value) < LONGEST:
        return float(value)
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum) and value in annotation.__members__:
        return annotation[value]
    raise WrongType


def _of_union(value: typing.Any, parts: tuple) -> typing.Any:
    if type(None) in parts and _is_null(value):
        return None
    for part in parts:
        try:
            if part is not type(None):
                return converted(value, part)
        except WrongType:
            continue
    raise WrongType


def _is_null(value: typing.Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Quoted) and value.lower() == "null"
