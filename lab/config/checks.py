"""The checks of composed settings: bounds, and settings that exclude each other. No JAX here."""

import os
import pathlib
import re
from typing import cast

from lab.config.base import LARGEST, Base, Hosts
from lab.config.choices import Stage
from lab.config.identity import iter_settings
from lab.config.key_checks import check_value
from lab.config.training import HasSeeds, seeds_of
from lab.errors import ConfigError, short

LONGEST = 255  # most bytes of a file's or folder's name


def check(typed: Base) -> Base:
    """Return the settings after all checks.

    Raises:
        ConfigError: a value is out of its bounds, or settings exclude each other.
    """
    settings = {one.key: one for one in iter_settings(typed)}
    for one in settings.values():
        check_value(one.key, one.value, one.metadata)
        if name := one.metadata.get("within"):
            bound = settings[one.key[: one.key.rfind(".") + 1] + name]
            value, limit = cast(tuple[float, float], (one.value, bound.value))
            if value > limit:
                raise ConfigError(f"{one.key}={one.shown}: at most {bound.key}={bound.shown}")
    if not typed.run.dir.strip():
        raise ConfigError("run.dir=: an empty name; give run.dir=DIR, the folder of results, or leave the word out")
    if any(len(os.fsencode(part)) > LONGEST for part in pathlib.Path(typed.run.dir).parts):
        raise ConfigError(f"run.dir={short(typed.run.dir)}: a folder's name has more than {LONGEST} bytes; shorten it")
    if typed.made_from:
        raise ConfigError("made_from: the lab fills it in; leave the word out")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", typed.name):
        raise ConfigError(f"name={typed.name}: allowed are letters, digits, _ and -")
    if len(typed.name) > LONGEST:
        raise ConfigError(f"name={short(typed.name)}: has {len(typed.name)} characters; at most {LONGEST} are allowed")
    _check_hosts(typed)
    _check_seeds(typed)
    typed.check()
    return typed


def _check_seeds(typed: Base) -> None:
    """Check that the last of a run's consecutive seeds is within the bounds of `seed`."""
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
