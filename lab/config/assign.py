"""Setting of one key of settings, which are dataclasses: `set_key(settings, "train.steps", "5", ...)`. No JAX.

A value is converted to the type of its field. An error is one line that names the key and what is allowed.
"""

import dataclasses
import functools
import types
import typing

from lab.config.allowed import LARGEST_NUMBER, allowed
from lab.config.base import Base
from lab.config.convert import WrongType, converted
from lab.config.kinds import choices
from lab.config.override import Override, Value
from lab.errors import ConfigError, names_allowed, short

hints = functools.cache(typing.get_type_hints)


def apply(settings: Base, override: Override) -> None:
    """Set, add or remove what a word says."""
    if override.sign == "~":
        return _remove(settings, override)
    if override.sign == "+" and _is_there(settings, override.key):
        raise ConfigError(f"{override.key}: there is such a key already; leave the + out, {override.key}=VALUE")
    value = override.value
    assert value is not None  # only a word ~KEY has none
    set_key(settings, override.key, value, override.word.lstrip("+"), may_add=bool(override.sign))


def _is_there(settings: Base, key: str) -> bool:
    node: typing.Any = settings
    for name in key.split("."):
        names = node if isinstance(node, dict) else vars(node) if dataclasses.is_dataclass(node) else ()
        if name not in names:
            return False
        node = node[name] if isinstance(node, dict) else getattr(node, name)
    return True


def set_key(settings: typing.Any, key: str, value: Value, word: str, may_add: bool = False) -> None:
    """Set a key, which may be one of a section, a section, or a name of a dictionary."""
    node, names, path = settings, key.split("."), ""
    for place, name in enumerate(names):
        path, last = ".".join(names[: place + 1]), place == len(names) - 1
        if isinstance(node, dict):
            return _set_name(settings, node, key, names[place:], value, word, may_add)
        fields = {field.name: field for field in dataclasses.fields(node)}
        if name not in fields:
            raise ConfigError(f"{path}: no such key; {names_allowed(name, [*fields])}")
        annotation, inner = hints(type(node))[name], getattr(node, name)
        if place and name == "name" and names[0] in settings.GROUPS:
            options = ", ".join(choices(type(settings), names[0]))
            raise ConfigError(f"{path} is {inner!r} here; another is chosen with {names[0]}=NAME: {options}")
        if last:
            return _set_field(settings, node, fields[name], annotation, key, value, word, may_add)
        start = short(word)
        if inner is None and path in settings.GROUPS:
            options = ", ".join(choices(type(settings), path))
            raise ConfigError(f"{start}: {path} is null in this experiment; first choose {path}=NAME: {options}")
        if isinstance(inner, list):
            raise ConfigError(f"{start}: {path} is a list; give it whole: {path}=[A,B]")
        if not isinstance(inner, dict) and not dataclasses.is_dataclass(inner):
            raise ConfigError(
                f"{short(word.split('=')[0])}: allowed: {path}={allowed(annotation, fields[name].metadata)}"
            )
        node = inner


def _set_field(
    settings: Base, node: typing.Any, field: dataclasses.Field, annotation: typing.Any, key: str, value: Value,
    word: str, may_add: bool
) -> None:  # fmt: skip
    inner = getattr(node, field.name)
    if dataclasses.is_dataclass(inner) and not isinstance(value, dict):
        names = ", ".join(sorted(f.name for f in dataclasses.fields(inner)))
        raise ConfigError(f"{short(word)}: a section; give one of its keys, {key}.NAME=VALUE: {names}")
    if isinstance(value, dict) and (isinstance(inner, dict) or dataclasses.is_dataclass(inner)):
        for name, each in value.items():
            set_key(settings, f"{key}.{name}", each, word, may_add)
        return
    try:
        setattr(node, field.name, converted(value, annotation))
    except WrongType as error:
        text = f"{short(word)}: allowed: {allowed(annotation, field.metadata)}{_instead(key, value, annotation)}"
        if typing.get_origin(annotation) is dict:
            text = f"{short(word)}: a name with a list of words, +{key}.NAME=['KEY=VALUE']"
        raise ConfigError(text) from error


def _set_name(settings: Base, node: dict, key: str, names: list[str], value: Value, word: str, may_add: bool) -> None:
    """Set an entry of a dictionary of the user's own names, such as `parts`."""
    section = key.removesuffix("." + ".".join(names))
    if len(names) > 1:
        raise ConfigError(f"{short(word)}: {section}.{names[0]} is a list; give it whole: {section}.{names[0]}=[A,B]")
    if names[0] not in node and not may_add:
        raise ConfigError(f"{key}: no such key; a new one is given as +{key}=...")
    annotation = hints(type(settings))[section]
    try:
        node |= converted({names[0]: value}, annotation)
    except WrongType as error:
        raise ConfigError(f"{short(word)}: a name with a list of words, +{section}.NAME=['KEY=VALUE']") from error


def _remove(settings: Base, override: Override) -> None:
    """Remove a name of a dictionary, or all: a setting always has a value."""
    section, _, name = override.key.partition(".")
    fields = [field.name for field in dataclasses.fields(settings)]
    if section not in fields:
        raise ConfigError(f"{override.key}: no such key; {names_allowed(section, fields)}")
    names = getattr(settings, section)
    if not isinstance(names, dict):
        last = ".NAME" if dataclasses.is_dataclass(names) and not name else ""
        raise ConfigError(f"{override.key}: a key cannot be removed; give it a value, {override.key}{last}=VALUE")
    if name and name not in names:
        why = names_allowed(name, [*names]) if names else "there are none here"
        raise ConfigError(f"{override.key}: no such name; {why}")
    setattr(settings, section, {key: value for key, value in names.items() if name and key != name})


def _instead(key: str, value: Value, annotation: typing.Any) -> str:
    """Return how a value is written that has nearly the right type."""
    if typing.get_origin(annotation) is list and isinstance(value, str):
        return f"; a list is {short(f'{key}=[{value}]')}"
    whole = annotation is int or (isinstance(annotation, types.UnionType) and int in typing.get_args(annotation))
    try:
        number = converted(value, float)
    except WrongType:
        return ""
    return f"; write {number:.0f}" if whole and abs(number) < LARGEST_NUMBER and number == int(number) else ""
