"""Composition of settings from the words of a command line, and their checks. No JAX here: `--help` is instant."""

import contextlib
import copy
import dataclasses
import functools
import os
import re
from collections.abc import Iterator
from typing import Any, cast

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import ConfigCompositionException, HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from lab.config import single_values
from lab.config.allowed import check_value
from lab.config.base import LARGEST, Base, Hosts
from lab.config.choices import Stage
from lab.config.identity import config_hash
from lab.config.kinds import KINDS, SCHEMAS, choices, tell_hydra
from lab.config.own_code import WORD, import_own_code
from lab.config.training import HasSeeds, seeds_of
from lab.config.words import check_removals, check_words, explained, parse_word
from lab.errors import ConfigError, explain


def register() -> None:
    """Make the schemas known to Hydra, and let it raise its errors instead of printing them over several lines."""
    os.environ["HYDRA_FULL_ERROR"] = "1"
    tell_hydra()


def compose(words: list[str]) -> Base:
    """Return the settings that the words of a command line stand for, of the type of their kind.

    A file that the words `use` is imported first.

    Raises:
        ConfigError, HydraException, OmegaConfBaseException: as `check` and `import_own_code`.
    """
    if any(WORD.match(word) for word in words):
        import_own_code(words)
        tell_hydra()  # the file may have registered kinds and tasks
        return _checked(words)
    schemas = {name: kind.schema for name, kind in KINDS.items()}
    tables = tuple((group, *rows.items()) for group, rows in {"kind": schemas, **SCHEMAS}.items())
    return copy.deepcopy(_composed_once(tuple(words), tables))


@functools.cache
def _composed_once(words: tuple[str, ...], tables: tuple) -> Base:
    """Return the settings of some words, composed once, as sweeps repeat words.

    Args:
        tables: all kinds and schemas, to which a file of the user's own may add: with others the result may differ.
    """
    check_words(words)
    settings = _with_single_values(words, tables)
    return _checked(list(words)) if settings is None else check(settings)


def _with_single_values(words: tuple[str, ...], tables: tuple) -> Base | None:
    """Return the settings of some words, not checked, in which those that set one value are set without Hydra; None
    where Hydra has to be asked, by which errors are explained too."""
    rest, values = single_values.divided(words)
    with contextlib.suppress(ConfigError, HydraException, OmegaConfBaseException):
        settings = copy.deepcopy(_typed_once(tuple(rest), tables))
        if single_values.are_set(settings, values):
            return settings
    return None


@functools.cache
def _typed_once(words: tuple[str, ...], tables: tuple) -> Base:
    """Return the settings of some words by Hydra, which takes a tenth of a second; not checked.

    Args:
        tables: as of `_composed_once`.
    """
    check_removals(list(words), _composed)
    return _typed(_composed(list(words)))


def _checked(words: list[str]) -> Base:
    check_words(words)
    check_removals(words, _understood)
    with _explaining(words):
        return check(_typed(_composed(words)))


def _understood(words: list[str]) -> DictConfig:
    """Return the configuration of these words; an error is explained, as far as one of them is at fault."""
    with _explaining(words):
        return _composed(words)


@contextlib.contextmanager
def _explaining(words: list[str]) -> Iterator[None]:
    try:
        yield
    except (HydraException, OmegaConfBaseException) as error:
        if line := explained(error, words, _understood):
            raise line from error
        raise


def compose_run(words: list[str]) -> Base:
    """Return the settings of one run, complete with what is read from files (`Base.fill_in`).

    Raises:
        DataError: such a file is not there.
        ConfigError, HydraException, OmegaConfBaseException: as `compose`.
    """
    settings = compose(words)
    if not settings.has_points:
        settings.fill_in()
        settings.made_from = [_hash_of_input(line) for line in settings.inputs()]
    return settings


def _hash_of_input(words: list[str]) -> str:
    """Return the hash of a run that another starts from; an error in its words says whose words they are."""
    try:
        return config_hash(compose_run(words))
    except Exception as error:
        if (why := explain(error)) is None:
            raise
        raise ConfigError(f"{' '.join(words)}, which it starts from: {why}") from error


def input_words(words: list[str], settings: Base) -> list[str]:
    """Return the command line of a run that the run with these settings starts from, in the same folder `run.dir`."""
    folder = settings.run.dir.replace("\\", "\\\\").replace("'", "\\'")
    return [*words, f"run.dir='{folder}'"]


def _composed(words: list[str]) -> DictConfig:
    """Return the configuration of these words, together with the words that `size` stands for."""
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


def _typed(config: DictConfig) -> Base:
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
    typed = cast(Base, OmegaConf.to_object(OmegaConf.merge(schema, container)))
    for key, node in chosen.items():
        if getattr(typed, key).name != node.name:
            allowed = ", ".join(choices(kind, key))
            raise ConfigError(f"{key}.name is {node.name!r} here; another is chosen with {key}=NAME: {allowed}")
    return typed


def check(typed: Base) -> Base:
    """Return the settings after all checks.

    Raises:
        ConfigError: a value is out of its bounds, or settings exclude each other.
    """
    _check_bounds(typed)
    if not typed.run.dir.strip():
        raise ConfigError("run.dir=: an empty name; give run.dir=DIR, the folder of results, or leave the word out")
    if typed.made_from:
        raise ConfigError("made_from: the lab fills it in; leave the word out")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", typed.name):
        raise ConfigError(f"name={typed.name}: allowed are letters, digits, _ and -")
    _check_hosts(typed)
    _check_seeds(typed)
    typed.check()
    return typed


def _check_seeds(typed: Base) -> None:
    """Check that the last seed of a run, whose seeds are consecutive, is still one that `seed` allows."""
    seeds = seeds_of(typed) if isinstance(typed, HasSeeds) else range(typed.seed, typed.seed + 1)
    if seeds and seeds[-1] > LARGEST:
        raise ConfigError(
            f"seed={typed.seed}: the last of seeds={len(seeds)} would be {seeds[-1]}; must be <= {LARGEST}"
        )


def _check_hosts(typed: Base) -> None:
    hosts = typed.hosts
    if hosts.auto and hosts != Hosts(auto=True):
        raise ConfigError("hosts.auto=true: the cluster says the rest; leave coordinator, processes and process out")
    if not hosts.coordinator and (hosts.processes, hosts.process) != (1, 0):
        raise ConfigError("hosts.coordinator: HOST:PORT of the first process is missing, or hosts.auto=true")
    if hosts.coordinator and not re.fullmatch(r".+:\d+", hosts.coordinator):
        raise ConfigError(f"hosts.coordinator={hosts.coordinator}: must be HOST:PORT")
    if hosts.process >= hosts.processes:
        raise ConfigError(f"hosts.process={hosts.process}: must be < hosts.processes={hosts.processes}")
    if hosts != Hosts() and typed.sweep.stage is not Stage.all:
        raise ConfigError("hosts: a launcher's jobs work apart; leave hosts.* or the launcher out")


def _check_bounds(node: Any, path: str = "") -> None:
    hints = single_values.hints(type(node))
    for f in dataclasses.fields(node):
        key = f"{path}{f.name}"
        value: Any = getattr(node, f.name)
        if dataclasses.is_dataclass(value):
            _check_bounds(value, f"{key}.")
        else:
            check_value(key, value, hints[f.name], f.metadata)
