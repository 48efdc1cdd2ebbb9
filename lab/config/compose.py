"""Composition of settings from the words of a command line. No JAX here: `--help` is instant."""

import contextlib
import copy
import functools
import os
from collections.abc import Iterator

from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from lab.config import single_values
from lab.config.base import Base
from lab.config.checks import check
from lab.config.configuration import configuration, typed
from lab.config.identity import config_hash
from lab.config.kinds import KINDS, SCHEMAS, tell_hydra
from lab.config.own_code import WORD, import_own_code
from lab.config.words import check_removals, check_words, explained
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
        name = import_own_code(words)
        tell_hydra()  # the file may have registered kinds and tasks
        return _of_file(_checked(words), name)
    schemas = {name: kind.schema for name, kind in KINDS.items()}
    tables = tuple((group, *rows.items()) for group, rows in {"kind": schemas, **SCHEMAS}.items())
    return _of_file(copy.deepcopy(_composed_once(tuple(words), tables)), "")


def _of_file(settings: Base, name: str) -> Base:
    """Return the settings, whose `use` must be the file that the words named, and that was imported.

    Raises:
        ConfigError: it is another one, which one of `other_sizes` or a word in another spelling has named.
    """
    if settings.use and settings.use != name:
        raise ConfigError(f"use={settings.use}: nothing of it is executed here; give the word use=FILE.py itself")
    return settings


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
    check_removals(list(words), configuration)
    return typed(configuration(list(words)))


def _checked(words: list[str]) -> Base:
    check_words(words)
    check_removals(words, _understood)
    with _explaining(words):
        return check(typed(configuration(words)))


def _understood(words: list[str]) -> DictConfig:
    """Return the configuration of these words; an error is explained, as far as one of them is at fault."""
    with _explaining(words):
        return configuration(words)


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
