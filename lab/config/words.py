"""The words of a command line: which of them no experiment can understand, and what was wrong with one that Hydra or
OmegaConf refuses. Each ends in one line that names the key and what is allowed, and none shows their insides."""

import dataclasses
import functools
import re
import typing
from collections.abc import Callable, Sequence

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, QuotedString
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import (
    ConfigAttributeError,
    ConfigKeyError,
    InterpolationResolutionError,
    OmegaConfBaseException,
)

from lab.config.allowed import LARGEST_NUMBER, allowed
from lab.config.kinds import FILES, SCHEMAS, choices, contents
from lab.errors import ConfigError, names_allowed, short

LAUNCHER = ("hydra/launcher=", "hydra.launcher.")  # the beginnings of the only words of Hydra's own, beside -m
CHOICES = ("kind", "experiment", *SCHEMAS)  # keys that choose one of several by its name
Compose = Callable[[list[str]], DictConfig]


def check_options(words: Sequence[str], options: Sequence[str]) -> None:
    """Check that the words that begin with a hyphen are among the options that there are.

    Raises:
        ConfigError: one is not.
    """
    for word in words:
        if word.startswith("-") and word not in options:
            raise ConfigError(f"{short(word)}: no such option; allowed: {', '.join(options)}, and words KEY=VALUE")


def check_launcher(words: Sequence[str]) -> None:
    """Check that Hydra's own words, given with `-m`, choose and set a launcher.

    Raises:
        ConfigError: one has no effect here.
    """
    is_chosen = any(word.startswith("hydra/launcher=") for word in words)
    for word in words:
        if not word.startswith(LAUNCHER):
            raise ConfigError(_of_hydra(word.split("=")[0]))
        if not is_chosen:
            raise ConfigError(f"{word.split('=')[0]}: of a launcher, and none is chosen; add hydra/launcher=NAME")


@functools.lru_cache(maxsize=4096)  # the words of a sweep's points, or of many runs, are mostly the same
def parse_word(word: str) -> Override:
    """Parse one word by Hydra's grammar. The result is not to be changed.

    Raises:
        OverrideParseException: it is no KEY=VALUE.
        ConfigError: its brackets are within too many others.
    """
    try:
        (override,) = OverridesParser.create().parse_overrides([word])
    except RecursionError as error:
        raise ConfigError(f"{short(word)}: its brackets are within too many others") from error
    return override


def check_words(words: Sequence[str]) -> None:
    """Check what can be known of words without an experiment.

    Raises:
        ConfigError: a word cannot be meant so.
        OverrideParseException: a word is no KEY=VALUE.
    """
    for word in words:
        _check_encoding(word)
        override = parse_word(word)
        key = override.key_or_group
        if not key or "@" in word.split("=")[0]:
            raise ConfigError(f"{short(word)}: not understood; a word is KEY=VALUE, a list is KEY=[VALUE,VALUE]")
        if re.match(r"hydra\b", key):
            raise ConfigError(_of_hydra(key))
        if override.is_sweep_override():
            _, _, values = word.partition("=")
            a_list = "" if "(" in values or key in CHOICES else f"; a list is {short(f'{key}=[{values}]')}"
            raise ConfigError(f"{short(word)}: several values are a sweep, python run.py -m ... {short(word)}{a_list}")
        if key in CHOICES:
            _check_choice(word, key, override)


def _check_encoding(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{short(ascii(word))}: not in the encoding UTF-8") from error


def _check_choice(word: str, key: str, override: Override) -> None:
    """Check a word that chooses one of several by its name."""
    if override.is_delete():
        raise ConfigError(f"{key}: a key cannot be removed; leave the word out, or give {key}=NAME")
    if override.is_add() or override.is_force_add():
        raise ConfigError(f"{short(word)}: leave the + out, {key}=NAME")
    value = override.value()
    if value is None:
        raise ConfigError(f"{key}: null is no name; leave the word out, or give {key}=NAME")
    if not isinstance(value, str | QuotedString | int | float):
        raise ConfigError(f"{short(word)}: one name, {key}=NAME")


def _of_hydra(key: str) -> str:
    if key == "hydra.run.dir":
        return f"{key}: it has no effect here; results go to the folder run.dir=DIR"
    return f"{key}: it has no effect here; of Hydra's own keys only those of a launcher have one, with -m"


def check_removals(words: list[str], compose: Compose) -> None:
    """Check that words `~KEY` remove names, as `~parts.NAME` does: a setting always has a value.

    Args:
        compose: returns the configuration of some words.

    Raises:
        ConfigError: one of them is a setting, or there is no such name.
    """
    removed = [word for word in words if word.startswith("~") and word != "~parts"]  # `parts` is a key of every kind
    if not removed:
        return
    config = compose([word for word in words if word not in removed])
    for word in removed:
        key = parse_word(word).key_or_group
        section, _, name = key.partition(".")
        field = _field(config, section)
        if field is None:
            raise ConfigError(f"{key}: no such key; {names_allowed(section, list(map(str, config)))}")
        if typing.get_origin(field[0]) is not dict:
            last = ".NAME" if dataclasses.is_dataclass(field[0]) and not name else ""
            raise ConfigError(f"{key}: a key cannot be removed; give it a value, {key}{last}=VALUE")
        if name and name not in config[section]:
            names = list(map(str, config[section]))
            why = names_allowed(name, names) if names else "there are none here"
            raise ConfigError(f"{key}: no such name; {why}")


def explained(error: Exception, words: list[str], compose: Compose) -> ConfigError | None:
    """Return the error of one line for an error of Hydra or OmegaConf about one of some words, None for any other.

    Args:
        words: of a command line.
        compose: returns the configuration of some words.
    """
    text, cause = str(error), error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if match := re.match(r"In 'experiment/(\w+)': .*^\s*full_key: (\w+)\.(\w+)", text, re.DOTALL | re.MULTILINE):
        return _choice_without(match[1], match[2], match[3], words, compose)
    if match := re.match(r"Could not append to config\. An item is already at '([^']+)'", text):
        return ConfigError(f"{match[1]}: there is such a key already; leave the + out, {match[1]}=VALUE")
    if not isinstance(cause, OmegaConfBaseException) or not cause.full_key:
        return None
    if isinstance(cause, ConfigAttributeError | ConfigKeyError):
        return None  # `lab.errors.explain` names the keys that there are
    key = re.sub(r"\[.*", "", str(cause.full_key))
    rest = [word for word in words if not _concerns(word, key)]
    if not (mine := [word for word in words if word not in rest]):
        return None
    if isinstance(cause, InterpolationResolutionError):
        return ConfigError(f"{short(mine[-1])}: what stands between ${{ and }} is no key with a value")
    return _wrong_value(mine[-1], compose(rest))


def _choice_without(experiment: str, group: str, key: str, words: list[str], compose: Compose) -> ConfigError | None:
    """Return the error for a choice, such as a task, that has not all keys that the experiment's file sets."""
    mine = [word for word in words if parse_word(word).key_or_group == group]
    if not mine or experiment not in FILES:
        return None
    keys = set(contents(FILES[experiment]).get(group) or {})
    kind = OmegaConf.get_type(compose([word for word in words if word not in mine]))
    names = [
        name
        for name, schema in choices(typing.cast(typing.Any, kind), group).items()
        if keys <= {field.name for field in dataclasses.fields(schema)}
    ]
    return ConfigError(
        f"{short(mine[-1])}: it has no key {key}, which experiment={experiment} sets; allowed: {', '.join(names)}"
    )


def _wrong_value(word: str, config: DictConfig) -> ConfigError | None:
    """Return the error for a word whose value has a wrong type.

    Args:
        config: the configuration of the other words.
    """
    key = parse_word(word).key_or_group
    text = short(word.lstrip("+"))
    while (field := _field(config, key)) is None and "." in key:  # a key below a value, as train.steps.x
        key = key.rpartition(".")[0]
        text = short(word.split("=")[0].lstrip("+"))
    if field is None:
        return None
    annotation, metadata = field
    if typing.get_origin(annotation) is dict:
        return ConfigError(f"{text}: a name with a list of words, +{key}.NAME=['KEY=VALUE']")
    if dataclasses.is_dataclass(annotation):
        names = ", ".join(sorted(f.name for f in dataclasses.fields(annotation)))
        return ConfigError(f"{text}: a section; give one of its keys, {key}.NAME=VALUE: {names}")
    return ConfigError(f"{text}: allowed: {allowed(annotation, metadata)}{_instead(word, key, annotation)}")


def _instead(word: str, key: str, annotation: typing.Any) -> str:
    """Return how a value is written that has nearly the right type."""
    value = parse_word(word).value()
    if typing.get_origin(annotation) is list and isinstance(value, int | float | str):
        return f"; a list is {short(f'{key}=[{value}]')}"
    is_whole = isinstance(value, float) and abs(value) < LARGEST_NUMBER and value == int(value)
    return f"; write {value:.0f}" if is_whole and annotation in (int, int | None) else ""


def _field(config: DictConfig, key: str) -> tuple[typing.Any, typing.Mapping] | None:
    """Return the type and the metadata of the field behind a key, None if there is no such field."""
    *sections, name = key.split(".")
    parent = config
    for section in sections:
        if not OmegaConf.is_dict(parent) or section not in parent:
            return None
        parent = parent[section]
    schema = OmegaConf.get_type(parent) if OmegaConf.is_dict(parent) else None
    if schema is None or not dataclasses.is_dataclass(schema):
        return None
    fields = {field.name: field for field in dataclasses.fields(schema)}
    return (typing.get_type_hints(schema)[name], fields[name].metadata) if name in fields else None


def _concerns(word: str, key: str) -> bool:
    """Return whether a word sets a key, a section around it, or a key below it. OmegaConf names an entry that is new in
    a section alone, without the section."""
    mine = parse_word(word).key_or_group
    if word.startswith("+") and mine.endswith(f".{key}"):
        return True
    return f"{mine}.".startswith(f"{key}.") or f"{key}.".startswith(f"{mine}.")
