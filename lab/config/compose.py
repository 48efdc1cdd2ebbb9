"""From command-line words to a configuration that has been checked. No JAX here: `--help` is instant."""

import dataclasses
import math
import operator
import os
import re
from typing import Any

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf

from lab.config.choices import OF_LEARNED_FEATURES, OF_ONE_RUN, Features, Figure, Stage, Tracker
from lab.config.comparison import DATA, TASKS, Config, Hosts, Shift
from lab.errors import ConfigError
from lab.runs.trackers import catalogue as trackers
from tasks.datasets import own
from tasks.datasets.settings import Csv
from tasks.settings import Tabular


def register() -> None:
    """Tell Hydra of the schemas, and to pass its errors on instead of printing them over several lines."""
    os.environ["HYDRA_FULL_ERROR"] = "1"
    store = ConfigStore.instance()
    store.store(name="schema", node=Config)
    for name, task in TASKS.items():
        store.store(group="task", name=name, node=task)
    for name, data in DATA.items():
        store.store(group="data", name=name, node=data)


def check(config: DictConfig) -> Config:
    """The composed configuration as a typed object.

    Raises:
        ConfigError: a value out of its bounds.
        omegaconf.errors.OmegaConfBaseException: a key that is in no schema (Hydra lets `+typo=1`
            pass), or a value of a wrong type.
    """
    plain = OmegaConf.to_container(config, resolve=True)
    schema = OmegaConf.structured(Config)
    chosen = {"task": (OmegaConf.get_type(config, "task"), TASKS)}
    if config.data is not None:
        chosen["data"] = (OmegaConf.get_type(config, "data"), DATA)
    for group, (kind, _) in chosen.items():
        schema[group] = OmegaConf.structured(kind)
    typed = OmegaConf.to_object(OmegaConf.merge(schema, plain))
    for group, (kind, all_of_them) in chosen.items():
        if getattr(typed, group).name != kind.name:
            allowed = ", ".join(all_of_them)
            raise ConfigError(f"{group}.name is {kind.name!r} here; another is chosen with {group}=NAME: {allowed}")
    _check_bounds(typed)
    _check_together(typed)
    return typed


def _check_together(typed: Config) -> None:
    """What settings allow of one another."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", typed.name):
        raise ConfigError(f"name={typed.name}: allowed are letters, digits, _ and -")
    trackers.require(typed.tracker)
    _check_benchmark(typed)
    _check_hosts(typed)
    if typed.paper.experiments and (typed.parts or typed.grid or typed.benchmark.axes):
        raise ConfigError("paper: it has experiments; parts, a grid and a benchmark's axes are theirs alone")
    if typed.figure not in OF_ONE_RUN and not (typed.parts or typed.grid):
        raise ConfigError(f"figure={typed.figure.name}: it is of several points, and there are no parts and no grid")
    if typed.figure in OF_LEARNED_FEATURES and typed.model.features is Features.inputs:
        raise ConfigError(
            f"figure={typed.figure.name}: it is of learned features; allowed are residual and mlp in model.features"
        )
    if typed.model.clip is not None and typed.baselines.init_std > 0:
        raise ConfigError("model.clip is defined for gradient descent from zero: it needs baselines.init_std=0")
    if typed.model.features is not Features.inputs and typed.baselines.init_std > 0:
        raise ConfigError(
            f"model.features={typed.model.features.name}: gradient descent on them is from zero, "
            "so it needs baselines.init_std=0"
        )
    tabular = isinstance(typed.task, Tabular)
    if tabular != (typed.data is not None):
        why = "needs a data set" if tabular else "has no use for one"
        raise ConfigError(f"data: task={typed.task.name} {why}; task=tabular has data={', '.join(DATA)}")
    if tabular and typed.shift != Shift():
        raise ConfigError("shift: a table has no other distribution than its own; leave shift.* out with task=tabular")
    if isinstance(typed.data, Csv) and not (typed.parts or typed.grid):  # of several points, each has its own
        own.fill_in(typed.data)


def _check_benchmark(typed: Config) -> None:
    if typed.figure is Figure.benchmark and not typed.benchmark.axes:
        raise ConfigError("figure=benchmark: it has no axes; give values to one, as in benchmark.batch_size=[512,2048]")
    if not typed.benchmark.axes:
        return
    if typed.figure is not Figure.benchmark:
        raise ConfigError(f"figure={typed.figure.name}: a benchmark is drawn as figure=benchmark")
    if typed.tracker is not Tracker.none:
        raise ConfigError(f"tracker={typed.tracker.name}: a benchmark has no curves to track; leave the word out")
    if typed.parts or typed.grid:
        raise ConfigError("benchmark: its axes are its points; it has no parts and no grid")
    if isinstance(typed.task, Tabular):
        raise ConfigError("benchmark: it needs a task whose sizes can be chosen, and a table's cannot")


def _check_hosts(typed: Config) -> None:
    hosts = typed.hosts
    if hosts.auto and hosts != Hosts(auto=True):
        raise ConfigError("hosts.auto=true: the cluster says the rest; leave coordinator, processes and process out")
    if not hosts.coordinator and (hosts.processes, hosts.process) != (1, 0):
        raise ConfigError("hosts.coordinator: HOST:PORT of the first process is missing, or hosts.auto=true")
    if hosts.coordinator and not re.fullmatch(r".+:\d+", hosts.coordinator):
        raise ConfigError(f"hosts.coordinator={hosts.coordinator}: must be HOST:PORT")
    if hosts.process >= hosts.processes:
        raise ConfigError(f"hosts.process={hosts.process}: must be < hosts.processes={hosts.processes}")
    if hosts != Hosts() and typed.benchmark.axes:
        raise ConfigError("hosts: a benchmark is of one device; leave hosts.* out")
    if hosts != Hosts() and typed.sweep.stage is not Stage.all:
        raise ConfigError("hosts: a launcher's jobs work apart; leave hosts.* or the launcher out")


def compose(words: list[str]) -> Config:
    """The configuration that command-line words give, wherever they come from.

    Raises:
        ConfigError, HydraException, OmegaConfBaseException: as `check`.
    """
    if GlobalHydra.instance().is_initialized():
        return check(hydra.compose("config", words))
    with hydra.initialize_config_module("lab.config.conf", version_base="1.3"):
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
