"""Composition: the overrides of a command line -> settings. This module and `assign` decide what an override may be. No
JAX.

kind=, experiment=   choose the kind and the experiment's file, whose entries are set first
task=, data=         choose one of several schemas (`Base.GROUPS`)
size=                stands for overrides in the experiment's file (`other_sizes`); tiny, for the kind's own (`TINY`)
KEY=VALUE            sets a key; if a key is given twice, the last value counts
"""

import dataclasses
import functools
import pathlib
import typing
from collections.abc import Mapping, Sequence

import yaml

from lab.config.assign import NoSuchKey, apply, assign
from lab.config.base import Base
from lab.config.checks import check
from lab.config.identity import config_hash, hints
from lab.config.imported import PROGRAM
from lab.config.kinds import FILES, KINDS, SCHEMAS, choices
from lab.config.override import Override, Value, parse, quoted
from lab.config.user_code import import_own_code
from lab.errors import ConfigError, explain, names_allowed, short

CHOICES = ("kind", "experiment", *SCHEMAS)  # keys that name a kind, an experiment or a schema
DEFAULT_KIND = "comparison"
TINY = "tiny"  # the size that every experiment has


def compose(words: Sequence[str]) -> Base:
    """Return the settings for the overrides of a command line, as their kind's dataclass.

    The file of `use=FILE` is imported first.

    Raises:
        ConfigError: an override has the wrong form, an unknown key, or a value that is not allowed.
    """
    name = import_own_code(words)
    settings = settings_of(words)
    if settings.use and settings.use != name:  # one of `other_sizes`, or a part, has named another file
        raise ConfigError(f"use={settings.use}: nothing of it is executed here; give the word use=FILE.py itself")
    return check(settings)


def compose_run(words: Sequence[str]) -> Base:
    """Return the settings of one run, including values read from files (`Base.fill_in`).

    Raises:
        DataError: such a file is missing.
        ConfigError: as `compose`.
    """
    settings = compose(words)
    if not settings.has_points:
        settings.fill_in()
        settings.made_from = [_hash_of_input(line) for line in settings.inputs()]
    return settings


def _hash_of_input(words: list[str]) -> str:
    """Return the hash of a run that another run starts from. An error in its overrides names that run."""
    try:
        return config_hash(compose_run(words))
    except Exception as error:
        if (why := explain(error)) is None:
            raise
        raise ConfigError(f"{' '.join(words)}, which it starts from: {why}") from error


def input_words(words: list[str], settings: Base) -> list[str]:
    """Return the command line of a run that the run with these settings starts from, with the same `run.dir`."""
    return [*words, f"run.dir={quoted(settings.run.dir)}"]


def settings_of(words: Sequence[str]) -> Base:
    """Return the settings for some overrides, without a check of bounds.

    Raises:
        ConfigError: an override has the wrong form, an unknown key, or a value of the wrong type.
    """
    overrides = [parse(word) for word in words]
    settings = _composed(overrides)
    if not settings.size:
        return settings
    sizes = _tiny(settings) | {name: words for name, words in settings.other_sizes.items() if name != TINY}
    if settings.size not in sizes:
        names = ", ".join(sizes)
        why = f"allowed: {names}" if names else "this experiment has no others"
        raise ConfigError(f"size={short(settings.size)}: {why}")
    return _composed([*map(parse, sizes[settings.size]), *overrides])


def _tiny(settings: Base) -> dict[str, list[str]]:
    """Return the size `tiny`: the words of the kind's smallest run, and then the experiment's own. Words on a log are
    left out, as the tests' own, and words on a task where there is none.

    An experiment whose parts are experiments has no such size: each of these has its own.
    """
    if any(word.startswith("experiment=") for part in settings.parts.values() for word in part):
        return {}
    other = ("experiment=", "data=", "data.", *(["task."] if getattr(settings, "task", "") is None else []))
    words = [word for word in type(settings).TINY if not word.startswith(other)]
    return {TINY: [*words, *settings.other_sizes.get(TINY, [])]} if words else {}


def contents(experiment: str) -> tuple[dict[str, str], dict[str, Value]]:
    """Return two parts of an experiment's file: the schemas it chooses, as {"task": "plain"}, and the keys it sets.

    Raises:
        ConfigError: there is no such experiment.
    """
    if experiment not in FILES:
        raise ConfigError(f"experiment={short(experiment)}: no such experiment; {names_allowed(experiment, [*FILES])}")
    return read(FILES[experiment])


@functools.cache
def read(file: pathlib.Path) -> tuple[dict[str, str], dict[str, Value]]:
    """Return the schemas that an experiment's file chooses, and the keys it sets. Do not change them."""
    entries = yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    chosen = {
        name.removeprefix("override /"): choice for each in entries.pop("defaults", []) for name, choice in each.items()
    }
    return chosen, entries


def figure_of(experiment: str) -> str:
    """Return the figure that an experiment's file names, or else the experiment's own name."""
    return str(read(FILES[experiment])[1].get("figure") or experiment)


def _check(override: Override) -> None:
    """Check an override as far as possible without an experiment."""
    key, word = override.key, override.word
    if "/" in key:
        raise ConfigError(f"{short(key)}: no such key; the sections of a key are divided by points")
    if override.options:
        a_list = "" if "(" in override.text or key in CHOICES else f"; a list is {short(f'{key}=[{override.text}]')}"
        raise ConfigError(f"{short(word)}: several values are a sweep, {PROGRAM} -m ... {short(word)}{a_list}")
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
    for each in overrides:
        _check(each)
    chosen = {each.key: str(each.value) for each in overrides if each.key in CHOICES}
    from_file, entries = contents(chosen["experiment"]) if "experiment" in chosen else ({}, {})
    settings = _of_kind(from_file | chosen, chosen)
    for key, value in entries.items():
        _set_from_file(settings, key, value, chosen)
    unknown = []
    for each in overrides:
        try:
            if each.key not in CHOICES:
                apply(settings, each)
        except NoSuchKey as error:  # all of them are named at once
            unknown.append(str(error))
    if unknown:
        raise NoSuchKey("; ".join(dict.fromkeys(unknown)))
    return settings


def _of_kind(chosen: Mapping[str, str], typed: Mapping[str, str]) -> Base:
    """Return the default settings of a kind, with the chosen schemas.

    Args:
        typed: the schemas chosen on the command line, not in the file.
    """
    name = chosen.get("kind", DEFAULT_KIND)
    if name not in KINDS:
        raise ConfigError(f"kind={short(name)}: no such kind; {names_allowed(name, [*KINDS])}")
    schema = KINDS[name].schema
    settings = schema()
    for key, default in schema.GROUPS.items():
        choice = chosen.get(key, default)
        if choice is None or choice == "null":
            if type(None) not in typing.get_args(hints(schema)[key]):
                raise ConfigError(f"{key}: null is no name; leave the word out, or give {key}=NAME")
            setattr(settings, key, None)
            continue
        options = choices(schema, key)
        if choice not in options:
            start = f"{key}={short(choice)}:"
            if choice in SCHEMAS[key]:
                raise ConfigError(f"{start} it is not for this kind of experiment; allowed: {', '.join(options)}")
            raise ConfigError(f"{start} no such {key}; {names_allowed(choice, [*options])}")
        setattr(settings, key, options[choice]())
    for key in typed:
        if key not in ("kind", "experiment", *schema.GROUPS):
            keys = ", ".join(sorted(field.name for field in dataclasses.fields(schema)))
            raise ConfigError(f"{key}: this experiment has no such key; allowed: {keys}")
    return settings


def _set_from_file(settings: Base, key: str, value: Value, chosen: Mapping[str, str]) -> None:
    """Set a key from an experiment's file. ConfigError: the command line chose a schema that lacks one of its keys."""
    node = getattr(settings, key, None)
    if key in settings.GROUPS and isinstance(value, Mapping) and dataclasses.is_dataclass(node):
        lacking = value.keys() - {field.name for field in dataclasses.fields(node)}
        if lacking and key in chosen:
            options = choices(type(settings), key).items()
            fitting = [
                name for name, each in options if value.keys() <= {field.name for field in dataclasses.fields(each)}
            ]
            raise ConfigError(
                f"{key}={chosen[key]}: it has no key {min(lacking)}, which experiment={chosen['experiment']} sets; "
                f"allowed: {', '.join(fitting)}"
            )
    assign(settings, key, value, f"{key}={value}", may_add=True)
