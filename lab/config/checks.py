"""The checks of composed settings: bounds, and settings that exclude each other. No JAX here."""

import dataclasses
import os
import pathlib
import re
from typing import Any

from lab.config.assign import hints as hints_of
from lab.config.base import LARGEST, Base
from lab.config.key_checks import check_value
from lab.config.training import HasSeeds, seeds_of
from lab.errors import ConfigError, short

LONGEST = 255  # most bytes of a file's or folder's name


def check(typed: Base) -> Base:
    """Return the settings after all checks.

    Raises:
        ConfigError: a value is out of its bounds, or settings exclude each other.
    """
    _check_bounds(typed)
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


def _check_bounds(node: Any, path: str = "") -> None:
    hints = hints_of(type(node))
    for f in dataclasses.fields(node):
        key = f"{path}{f.name}"
        value: Any = getattr(node, f.name)
        if dataclasses.is_dataclass(value):
            _check_bounds(value, f"{key}.")
        else:
            check_value(key, value, hints[f.name], f.metadata)
