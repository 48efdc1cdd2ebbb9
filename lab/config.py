"""Everything that can be set, with its type, its default and what is allowed. No JAX here: `--help` is instant.

`run.py`'s keys are these fields. The experiments (`lab/conf/experiment/*.yaml`) are short files of differences.
"""

import dataclasses
import math
import operator
import re
from dataclasses import dataclass, field
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf

from lab.choices import Figure, Injection, Platform
from lab.errors import ConfigError
from tasks import parameters
from tasks.parameters import above_zero, nonnegative, positive


@dataclass
class Model:
    """The linear self-attention Transformer."""

    num_layers: int = positive(1)
    num_heads: int = positive(1)
    recurrent: bool = True  # one block for all layers
    clip: float | None = field(default=None, metadata={"above": 0})  # bound on activations after each layer, for all
    injection: Injection = Injection.pooled  # documents enter K and V as their mean, or one row each


@dataclass
class Train:
    steps: int = positive(2000)
    batch_size: int = positive(1024)
    learning_rate: float = above_zero(0.001)
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = above_zero(1.0)  # of the whole gradient
    init_scale: float = above_zero(0.02)  # variance of the initial weights times the token width
    eval_every: int = positive(100)


@dataclass
class Eval:
    episodes: int = field(default=10_000, metadata={"at_least": 2, "at_most": 2**31 - 1})
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # of the validation episodes


@dataclass
class GDPlusPlus:
    """The meta-training of GD++; its rates are relative to gradient descent's, of order one."""

    steps: int = positive(300)
    batch_size: int = positive(256)
    learning_rate: float = above_zero(0.03)
    shared: bool = True  # one eta and one gamma for all steps, else a pair each


@dataclass
class Baselines:
    """The learners that the Transformer is compared with."""

    line_search_episodes: int = positive(80_000)
    init_std: float = nonnegative(0.0)  # entries of gradient descent's W_0 ~ N(0, init_std^2)
    ridge_penalty: float = above_zero(1e-3)
    gd_plus_plus: GDPlusPlus = field(default_factory=GDPlusPlus)


@dataclass
class Population:
    seeds: int = positive(1)  # seed, seed + 1, ... trained together


@dataclass
class Run:
    dir: str = "runs"
    force: bool = False  # run again although the same configuration is done


@dataclass
class Device:
    require: Platform = Platform.none


@dataclass
class Config:
    name: str = ""  # of the experiment; empty: none was chosen
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})
    task: parameters.Regression = MISSING
    model: Model = field(default_factory=Model)
    train: Train = field(default_factory=Train)
    eval: Eval = field(default_factory=Eval)
    baselines: Baselines = field(default_factory=Baselines)
    population: Population = field(default_factory=Population)
    figure: Figure = Figure.training
    parts: dict[str, list[str]] = field(default_factory=dict)  # name: overrides; each a run of its own
    run: Run = field(default_factory=Run)
    device: Device = field(default_factory=Device)


TASKS = {schema.name: schema for schema in parameters.ALL}


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
    if (typed.figure is Figure.training) == bool(typed.parts):
        raise ConfigError(f"figure={typed.figure.name}: training is of a run without parts, the others of parts")
    if typed.model.clip is not None and typed.baselines.init_std > 0:
        raise ConfigError("model.clip is defined for gradient descent from zero: it needs baselines.init_std=0")
    return typed


BOUNDS = {"at_least": (">=", operator.ge), "above": (">", operator.gt), "at_most": ("<=", operator.le)}


def _check_bounds(node: Any, path: str = "") -> None:
    for f in dataclasses.fields(node):
        key, value = f"{path}{f.name}", getattr(node, f.name)
        if dataclasses.is_dataclass(value):
            _check_bounds(value, f"{key}.")
        elif isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{key}={value}: must be a finite number")
        if value is None:
            continue
        bounds = [(*BOUNDS[name], bound) for name, bound in f.metadata.items()]
        if not all(holds(value, bound) for _, holds, bound in bounds):
            raise ConfigError(f"{key}={value}: must be {' and '.join(f'{sign} {b}' for sign, _, b in bounds)}")


def result_keys(config: Config) -> dict:
    """The part of a configuration that its results depend on: all but where they are put and on which device."""
    plain = OmegaConf.to_container(OmegaConf.structured(config), enum_to_str=True)
    return {key: value for key, value in plain.items() if key not in ("run", "device")}
