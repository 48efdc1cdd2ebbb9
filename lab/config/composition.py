"""Composition: the words of a command line -> settings. Everything that a word can mean is decided here. No JAX.

    kind=, experiment=   choose the kind and the experiment's file, whose entries are set first
    task=, data=         choose one of several schemas (`Base.GROUPS`)
    size=                stands for words of the experiment's file (`other_sizes`)
    KEY=VALUE            sets a key; of a key that is given twice, the second word counts

Settings are dataclasses, and a word sets one of their fields; values are converted to the field's type.
"""

import copy
import dataclasses
import functools
import pathlib
import types
import typing
from collections.abc import Mapping, Sequence

import yaml

from lab.config.allowed import LARGEST_NUMBER, allowed
from lab.config.base import Base
from lab.config.convert import WrongType, converted
from lab.config.kinds import FILES, KINDS, SCHEMAS, choices
from lab.config.override import Override, Value, parse
from lab.errors import ConfigError, names_allowed, short

CHOICES = ("kind", "experiment", *SCHEMAS)  # keys that choose one of several by its name
DEFAULT_KIND = "comparison"
hints = functools.cache(typing.get_type_hints)


def settings_of(words: Sequence[str]) -> Base:
    """Return the settings that words stand for; their bounds are not checked.

    Raises:
        ConfigError: a word is not understood, its key is not there, or its value has not the key's type.
    """
    overrides = [parse(word) for word in words]
    for each in overrides:
        _check(each)
    settings = _composed(overrides)
    if not settings.size:
        return settings
    if settings.size not in settings.other_sizes:
        names = ", ".join(settings.other_sizes)
        why = f"allowed: {names}" if names else "this experiment has no others"
        raise ConfigError(f"size={short(settings.size)}: {why}")
    return _composed([*map(parse, settings.other_sizes[settings.size]), *overrides])


def contents(experiment: str) -> tuple[dict[str, str], dict[str, Value]]:
    """Return what the file of an experiment chooses, {"task": "plain"}, and what it sets.

    Raises:
        ConfigError: there is no such experiment.
    """
    if experiment not in FILES:
        raise ConfigError(f"experiment={short(experiment)}: no such experiment; {names_allowed(experiment, [*FILES])}")
    return copy.deepcopy(_read(FILES[experiment]))


@functools.cache
def _read(file: pathlib.Path) -> tuple[dict[str, str], dict[str, Value]]:
    entries = yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    chosen = {name.removeprefix("override /"): choice for each in entries.pop("defaults", []) for name, choice in each.items()}
    return chosen, entries


def _check(override: Override) -> None:
    """Check what can be known of a word without an experiment."""
    key, word = override.key, override.word
    if "/" in key:
        raise ConfigError(f"{short(key)}: it has an effect with -m alone")
    if override.options:
        a_list = "" if "(" in override.text or key in CHOICES else f"; a list is {short(f'{key}=[{override.text}]')}"
        raise ConfigError(f"{short(word)}: several values are a sweep, python run.py -m ... {short(word)}{a_list}")
    if key not in CHOICES:
        return
    if override.sign == "~":
        raise ConfigError(f"{key}: a key cannot be removed; leave the word out, or give {key}=NAME")
    if override.sign:
        raise ConfigError(f"{short(word)}: leave the + out, {key}=NAME")
    if not isinstance(override.value, str):
        raise ConfigError(f"{short(word)}: one name, {key}=NAME")
    if override.value == "null" and key in ("kind", "experiment"):
        raise ConfigError(f"{key}: null is no name; leave the word out, or give {key}=NAME")


def _composed(overrides: Sequence[Override]) -> Base:
    chosen = {each.key: str(each.value) for each in overrides if each.key in CHOICES}
    from_file, entries = contents(chosen["experiment"]) if "experiment" in chosen else ({}, {})
    settings = _of_kind(from_file | chosen, chosen)
    for key, value in entries.items():
        _set_from_file(settings, key, value, chosen)
    for each in overrides:
        if each.key not in CHOICES:
            _apply(settings, each)
    return settings


def _of_kind(chosen: Mapping[str, str], typed: Mapping[str, str]) -> Base:
    """Return the default settings of a kind, with the chosen schemas.

    Args:
        typed: what the words choose, and not the file.
    """
    name = chosen.get("kind", DEFAULT_KIND)
    if name not in KINDS:
        raise ConfigError(f"kind={short(name)}: no such kind; {names_allowed(name, [*KINDS])}")
    schema = KINDS[name].schema
    settings = schema()
    for key, default in schema.GROUPS.items():
        choice = chosen.get(key, default)
        if choice is None or choice == "null":
            setattr(settings, key, None)
            continue
        options = choices(schema, key)
        if choice not in options:
            known = "it is not for this kind of experiment; " if choice in SCHEMAS[key] else ""
            raise ConfigError(f"{key}={short(choice)}: {known}{names_allowed(choice, [*options])}")
        setattr(settings, key, options[choice]())
    for key in typed:
        if key not in ("kind", "experiment", *schema.GROUPS):
            keys = ", ".join(sorted(field.name for field in dataclasses.fields(schema)))
            raise ConfigError(f"{key}: this experiment has no such key; allowed: {keys}")
    return settings


def _set_from_file(settings: Base, key: str, value: Value, chosen: Mapping[str, str]) -> None:
    """Set an entry of an experiment's file; where a word chooses another schema it may lack keys of the entry."""
    node = getattr(settings, key, None)
    if key in settings.GROUPS and isinstance(value, Mapping) and dataclasses.is_dataclass(node):
        lacking = value.keys() - {field.name for field in dataclasses.fields(node)}
        if lacking and key in chosen:
            options = choices(type(settings), key).items()
            fitting = [name for name, each in options if value.keys() <= {field.name for field in dataclasses.fields(each)}]
            raise ConfigError(
                f"{key}={chosen[key]}: it has no key {min(lacking)}, which experiment={chosen['experiment']} sets; "
                f"allowed: {', '.join(fitting)}"
            )
    _set(settings, key, value, f"{key}={value}", may_add=True)


def _apply(settings: Base, override: Override) -> None:
    """Set, add or remove what a word says."""
    if override.sign == "~":
        return _remove(settings, override)
    if override.sign == "+" and _is_there(settings, override.key):
        raise ConfigError(f"{override.key}: there is such a key already; leave the + out, {override.key}=VALUE")
    value = override.value
    assert value is not None  # only a word ~KEY has none
    _set(settings, override.key, value, override.word.lstrip("+"), may_add=bool(override.sign))


def _is_there(settings: Base, key: str) -> bool:
    node: typing.Any = settings
    for name in key.split("."):
        names = node if isinstance(node, dict) else vars(node) if dataclasses.is_dataclass(node) else ()
        if name not in names:
            return False
        node = node[name] if isinstance(node, dict) else getattr(node, name)
    return True


def _set(settings: typing.Any, key: str, value: Value, word: str, may_add: bool = False) -> None:
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
            raise ConfigError(f"{short(word.split('=')[0])}: allowed: {path}={allowed(annotation, fields[name].metadata)}")
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
            _set(settings, f"{key}.{name}", each, word, may_add)
        return
    try:
        setattr(node, field.name, converted(value, annotation))
    except WrongType as error:
        text = f"{short(word)}: allowed: {allowed(annotation, field.metadata)}{_instead(key, value, annotation)}"
        if typing.get_origin(annotation) is dict:
            text = f"{short(word)}: a name with a list of words, +{key}.NAME=['KEY=VALUE']"
        raise ConfigError(text) from error


def _set_name(
    settings: Base, node: dict, key: str, names: list[str], value: Value, word: str, may_add: bool
) -> None:
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
