"""Assignment of a value to one key of settings, which are dataclasses. No JAX.

A value is converted to the type of its field. An error is one line that names the key and what is allowed.
"""

import dataclasses
import types
import typing

from lab.config.base import Base
from lab.config.convert import WrongType, converted
from lab.config.identity import hints, iter_settings
from lab.config.key_checks import LARGEST_NUMBER, allowed
from lab.config.kinds import choices
from lab.config.override import Override, Value
from lab.errors import ConfigError, names_allowed, short

ABBREVIATIONS = {  # {a name that people type: the last part of the key that has it here}
    "lr": "learning_rate", "bs": "batch_size", "optimiser": "optimizer", "iterations": "steps", "depth": "num_layers",
    "dim": "input_dim", "d": "input_dim", "n": "num_context", "examples": "num_context", "context": "num_context",
}  # fmt: skip


class NoSuchKey(ConfigError):
    """A word names a key that the settings do not have."""


def apply(settings: Base, override: Override) -> None:
    """Apply an override: set a key, or add or remove an entry of a dictionary.

    Raises:
        ConfigError: there is no such key, or the value is not of the key's type.
    """
    if override.sign == "~":
        return _remove(settings, override)
    if override.sign == "+" and _is_there(settings, override.key):
        raise ConfigError(f"{override.key}: there is such a key already; leave the + out, {override.key}=VALUE")
    value = override.value if override.value is not None else ""
    assign(settings, override.key, value, override.word.lstrip("+"), may_add=bool(override.sign))


def assign(settings: Base, key: str, value: Value, word: str, may_add: bool = False) -> None:
    """Set a key, which names a setting, a whole section, or an entry of a dictionary. Raises as `apply`.

    Args:
        word: the assignment as messages show it.
        may_add: whether a dictionary may get a new name.
    """
    node: typing.Any = settings
    names, start = key.split("."), short(word)
    for place, name in enumerate(names):
        path = ".".join(names[: place + 1])
        if isinstance(node, dict):
            return _set_name(settings, node, names[:place], names[place:], value, start, may_add)
        fields = {field.name: field for field in dataclasses.fields(node)}
        if name not in fields:
            raise NoSuchKey(f"{path}: no such key; {_hint(name, settings, [*fields], is_outermost=not place)}")
        inner = getattr(node, name)
        if place and name == "name" and names[0] in settings.GROUPS:
            options = ", ".join(choices(type(settings), names[0]))
            raise ConfigError(f"{path} is {inner!r} here; another is chosen with {names[0]}=NAME: {options}")
        if path == key and isinstance(value, dict) and (isinstance(inner, dict) or dataclasses.is_dataclass(inner)):
            for each, part in value.items():
                assign(settings, f"{key}.{each}", part, word, may_add)
            return
        if path == key:
            return _set_field(node, fields[name], key, value, start)
        if inner is None and path in settings.GROUPS:
            options = ", ".join(choices(type(settings), path))
            raise ConfigError(f"{start}: {path} is null in this experiment; first choose {path}=NAME: {options}")
        if isinstance(inner, list):
            raise ConfigError(f"{start}: {path} is a list; give it whole: {path}=[A,B]")
        if not isinstance(inner, dict) and not dataclasses.is_dataclass(inner):
            values = allowed(hints(type(node))[name], fields[name].metadata)
            raise ConfigError(f"{short(key)}: {path} has no keys; allowed: {path}=VALUE, {values}")
        node = inner


def keys_called(name: str, settings: Base) -> list[str]:
    """Return the keys, three at most, whose last part is this name, or an abbreviation that it stands for, or has it as
    a word: model.num_heads for 'heads'."""
    wanted = ABBREVIATIONS.get(name, name)
    lasts = {setting.key: setting.key.rpartition(".")[2] for setting in iter_settings(settings)}
    exact = [key for key, last in lasts.items() if last == wanted]
    return (exact or [key for key, last in lasts.items() if wanted in last.split("_")])[:3]


def keys_of_others(name: str, settings: Base) -> list[str]:
    """Return the words, three at most, that choose a task or table with a key of this name, and set the key."""
    words = [
        f"{path}={choice} {path}.{name}=VALUE"
        for path in settings.GROUPS
        for choice, schema in choices(type(settings), path).items()
        if any(field.name == name for field in dataclasses.fields(schema))
    ]
    return words[:3]


def _hint(name: str, settings: Base, names: list[str], is_outermost: bool) -> str:
    """Return the end of a message on an unknown name. A section has few names, which are listed beside others' keys."""
    if elsewhere := keys_called(name, settings):
        return f"did you mean {', '.join(elsewhere)}?"
    if not (others := keys_of_others(name, settings)):
        return names_allowed(name, names)
    here = "" if is_outermost else f"{names_allowed(name, names)}; "
    return f"{here}others have it: {', '.join(others)}"


def _set_field(node: typing.Any, field: dataclasses.Field, key: str, value: Value, start: str) -> None:
    inner, annotation = getattr(node, field.name), hints(type(node))[field.name]
    if dataclasses.is_dataclass(inner):
        names = ", ".join(sorted(f.name for f in dataclasses.fields(inner)))
        raise ConfigError(f"{start}: a section; give one of its keys, {key}.NAME=VALUE: {names}")
    try:
        setattr(node, field.name, converted(value, annotation))
    except WrongType as error:
        if typing.get_origin(annotation) is dict:
            raise _no_list_of_words(start, key) from error
        text = f"{start}: allowed: {allowed(annotation, field.metadata)}{_instead(key, value, annotation)}"
        raise ConfigError(text) from error


def _set_name(
    settings: Base, node: dict, outer: list[str], names: list[str], value: Value, start: str, may_add: bool
) -> None:
    """Set an entry of a dictionary of the user's own names, such as `parts`.

    Args:
        outer: the names in the key before the entry's name.
        names: the entry's name, and the names in the key after it.
    """
    section, key = ".".join(outer), ".".join([*outer, names[0]])
    if len(names) > 1:
        raise ConfigError(f"{start}: {key} is a list; give it whole: {key}=[A,B]")
    if names[0] not in node and not may_add:
        raise ConfigError(f"{key}: no such key; a new one is given as +{key}=...")
    try:
        node |= converted({names[0]: value}, hints(type(settings))[section])
    except WrongType as error:
        raise _no_list_of_words(start, section) from error


def _no_list_of_words(start: str, section: str) -> ConfigError:
    return ConfigError(f"{start}: a name with a list of words, +{section}.NAME=['KEY=VALUE']")


def _remove(settings: Base, override: Override) -> None:
    """Remove an entry of a dictionary, or all of them. Settings cannot be removed: they always have a value."""
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


def _is_there(settings: Base, key: str) -> bool:
    node: typing.Any = settings
    for name in key.split("."):
        names = node if isinstance(node, dict) else vars(node) if dataclasses.is_dataclass(node) else ()
        if name not in names:
            return False
        node = node[name] if isinstance(node, dict) else getattr(node, name)
    return True


def _instead(key: str, value: Value, annotation: typing.Any) -> str:
    """Return a hint for a value of nearly the right type: how to write it so that the key takes it."""
    if typing.get_origin(annotation) is list and isinstance(value, str):
        return f"; a list is {short(f'{key}=[{value}]')}"
    is_whole = annotation is int or (isinstance(annotation, types.UnionType) and int in typing.get_args(annotation))
    try:
        number = converted(value, float)
    except WrongType:
        return ""
    return f"; write {number:.0f}" if is_whole and abs(number) < LARGEST_NUMBER and number == int(number) else ""
