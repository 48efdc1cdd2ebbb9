"""Hydra's part of composition: words -> configuration -> typed settings, and errors that name the key. No JAX here."""

import dataclasses
import re
from typing import Any, cast

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import ConfigCompositionException
from omegaconf import DictConfig, OmegaConf

from lab.config.base import Base
from lab.config.kinds import KINDS, choices
from lab.config.words import parse_word
from lab.errors import ConfigError, short


def configuration(words: list[str]) -> DictConfig:
    """Return the configuration of these words, together with the words that `size` stands for.

    Raises:
        ConfigError: there is no such size, or a word has a key or a choice that this kind of experiment has not.
        HydraException, OmegaConfBaseException: what Hydra says of any other mistake.
    """
    config = _composed_as_it_is(words)
    if not config.get("size"):
        return config
    if config.size not in config.other_sizes:
        names = ", ".join(config.other_sizes)
        raise ConfigError(f"size={config.size}: {f'allowed: {names}' if names else 'this experiment has no others'}")
    return _composed_as_it_is([*config.other_sizes[config.size], *words])


def _composed_as_it_is(words: list[str]) -> DictConfig:
    try:
        return _hydra_compose(words)
    except ConfigCompositionException as error:
        if chosen := re.match(r"In '(\w+)/(\w+)': .*is not a subclass of", str(error), re.DOTALL):
            raise _of_another_kind(chosen[1], chosen[2], words) from error
        match = re.match(r"Could not override '([^'@]+)'\. No match in the defaults list", str(error))
        if match is None:
            raise
        rest = [word for word in words if parse_word(word).key_or_group != match[1]]
        if len(rest) == len(words):
            raise
        kind = _kind(_composed_as_it_is(rest))
        keys = ", ".join(sorted(f.name for f in dataclasses.fields(kind)))
        raise ConfigError(f"{match[1]}: this experiment has no such key; allowed: {keys}") from error
    except (AssertionError, TypeError, ValueError) as error:  # Hydra's, for a key in what is null, or in a list
        outer = _of_outer_value(words)
        if outer is None:
            raise
        raise outer from error


def _of_outer_value(words: list[str]) -> ConfigError | None:
    """Return the error for a key inside of what has no keys: a group that is null, such as data.dir where no table is
    chosen, or a list; None where no word has such a key."""
    keys = {word: parse_word(word).key_or_group for word in words if "." in word.split("=")[0]}
    if not keys:
        return None
    config = _composed_as_it_is([word for word in words if word not in keys])
    kind = _kind(config)
    for word, key in keys.items():
        group, start = key.partition(".")[0], short(word.lstrip("+"))
        if group in kind.GROUPS and config[group] is None:
            allowed = ", ".join(choices(kind, group))
            return ConfigError(f"{start}: {group} is null in this experiment; first choose {group}=NAME: {allowed}")
        names = key.split(".")
        for outer in (".".join(names[:count]) for count in range(1, len(names))):
            if OmegaConf.is_list(OmegaConf.select(config, outer, default=None)):
                return ConfigError(f"{start}: {outer} is a list; give it whole: {outer}=[A,B]")
    return None


def _of_another_kind(key: str, name: str, words: list[str]) -> ConfigError:
    """Return the error for a choice that only other kinds have, such as a table where the kind reads a log."""
    kind = _kind(_composed_as_it_is([word for word in words if parse_word(word).key_or_group != key]))
    allowed = ", ".join(choices(kind, key))
    return ConfigError(f"{key}={name}: it is not for this kind of experiment; allowed: {allowed}")


def _kind(config: DictConfig) -> type[Base]:
    """Return the type of the settings of a kind."""
    return cast("type[Base]", OmegaConf.get_type(config))


def _hydra_compose(words: list[str]) -> DictConfig:
    if GlobalHydra.instance().is_initialized():
        return hydra.compose("config", words)
    with hydra.initialize_config_module("lab.config.conf", version_base="1.3"):
        return hydra.compose("config", words)


def typed(config: DictConfig) -> Base:
    """Return the composed configuration as a typed object; its values are not checked.

    Raises:
        ConfigError: there is no such kind, or a key has no value, or is another choice's.
        omegaconf.errors.OmegaConfBaseException: a key is in no schema (Hydra accepts `+typo=1`), or a value has a wrong
            type.
    """
    kind = _kind(config)
    if kind not in [each.schema for each in KINDS.values()]:
        raise ConfigError(f"kind: chosen by an experiment's file; allowed: {', '.join(KINDS)}")
    # `~parts` removes a dictionary, which is empty then.
    left_out = [f for f in dataclasses.fields(kind) if f.name not in config]
    names = [f.name for f in left_out if f.default_factory is dataclasses.MISSING or f.default_factory() != {}]
    if absent := [*names, *sorted(OmegaConf.missing_keys(config))]:
        raise ConfigError(f"{absent[0]}: it has no value; give {absent[0]}=VALUE")
    schema = OmegaConf.structured(kind)
    chosen: dict[str, Any] = {key: OmegaConf.get_type(config, key) for key in kind.GROUPS if config[key] is not None}
    for key, node in chosen.items():
        schema[key] = OmegaConf.structured(node)
    container = OmegaConf.to_container(config, resolve=True)
    settings = cast(Base, OmegaConf.to_object(OmegaConf.merge(schema, container)))
    for key, node in chosen.items():
        if getattr(settings, key).name != node.name:
            allowed = ", ".join(choices(kind, key))
            raise ConfigError(f"{key}.name is {node.name!r} here; another is chosen with {key}=NAME: {allowed}")
    return settings
