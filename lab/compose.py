"""From command-line words to a configuration that has been checked. No JAX here: `--help` is instant."""

import dataclasses
import math
import operator
import re
from typing import Any

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf

from lab.choices import Figure
from lab.config import TASKS, Config
from lab.errors import ConfigError


def register() -> None:
    """Tell Hydra of the schemas."""
    store = ConfigStore.instance()
    store.store(name="schema", node=Config)
    for name, task in TASKS.items():
        store.store(group="task", name=name, node=task)


def check(config: DictConfig) -> Config:
    """The composed configuration as a typed object.

    Raises:
        ConfigError: a value out of its bounds.
        omegaconf.errors.OmegaConfBaseException: a key that is in no schema (Hydra lets `+typo=1`
            pass), or a value of a wrong type.
    """
    plain = OmegaConf.to_container(config, resolve=True)
    schema = OmegaConf.structured(Config)
    task = OmegaConf.get_type(config, "task")
    schema.task = OmegaConf.structured(task)
    typed = OmegaConf.to_object(OmegaConf.merge(schema, plain))
    if typed.task.name != task.name:
        raise ConfigError(f"task.name is {task.name!r} here; another task is chosen with task=NAME: {', '.join(TASKS)}")
    _check_bounds(typed)
    if not re.fullmatch(r"[A-Za-z0-9_-]*", typed.name):
        raise ConfigError(f"name={typed.name}: allowed are letters, digits, _ and -")
    if typed.figure not in (Figure.training, Figure.shift) and not (typed.parts or typed.grid):
        raise ConfigError(f"figure={typed.figure.name}: it is of several points, and there are no parts and no grid")
    if typed.model.clip is not None and typed.baselines.init_std > 0:
        raise ConfigError("model.clip is defined for gradient descent from zero: it needs baselines.init_std=0")
    return typed


def compose(words: list[str]) -> Config:
    """The configuration that command-line words give, wherever they come from.

    Raises:
        ConfigError, HydraException, OmegaConfBaseException: as `check`.
    """
    if GlobalHydra.instance().is_initialized():
        return check(hydra.compose("config", words))
    with hydra.initialize_config_module("lab.conf", version_base="1.3"):
        return check(hydra.compose("config", words))


BOUNDS = {"at_least": (">=", operator.ge), "above": (">", operator.gt), "at_most": ("<=", operator.le)}


def _check_bounds(node: Any, path: str = "") -> None:
    for f in dataclasses.fields(node):
        key, value = f"{path}{f.name}", getattr(node, f.name)
        if dataclasses.is_dataclass(value):
            _check_bounds(value, f"{key}.")
        elif isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{key}={value}: must be a finite number")
        values = value if isinstance(value, list) else [] if value is None else [value]
        bounds = [(*BOUNDS[name], bound) for name, bound in f.metadata.items()]
        if not all(holds(value, bound) for value in values for _, holds, bound in bounds):
            raise ConfigError(f"{key}={value}: must be {' and '.join(f'{sign} {b}' for sign, _, b in bounds)}")
