"""The kinds of experiment that there are, and the schemas that a key can choose among.

`run.py` installs the lab's kinds, which it finds by listing the folders of `experiments/`; a file of the user's own
adds one by `register`. Nothing here or below knows a kind by name.
"""

import dataclasses
import functools
import pathlib
import typing
from collections.abc import Callable, Mapping

import yaml
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from lab.config.base import Base
from lab.errors import ConfigError
from tasks import settings as tasks
from tasks.datasets import settings as datasets
from tasks.logs import settings as logs


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind of experiment. Its parts are imported when they are first asked for: most need JAX or Matplotlib.

    Args:
        name: what `kind=NAME` and the summary of a run call it.
        schema: the dataclass of its settings.
        load: the name of a part (`run`, `report`, `figure`, `figures.NAME`) -> the module or object that it is.
        figures: {name of a figure: the part that draws it}.
        has_report: whether it has a part `report`.
        folder: its code; None for a kind of the user's own file.
    """

    name: str
    schema: type[Base]
    load: Callable[[str], typing.Any]
    figures: Mapping[str, str] = dataclasses.field(default_factory=dict)
    has_report: bool = False
    folder: pathlib.Path | None = None


KINDS: dict[str, Kind] = {}
FILES: dict[str, pathlib.Path] = {}  # {experiment: its file}
SCHEMAS: dict[str, dict[str, type]] = {"task": tasks.SCHEMAS, "data": datasets.SCHEMAS | logs.LOGS | logs.ITEM_LOGS}


def install(kinds: Mapping[str, Kind], files: Mapping[str, pathlib.Path]) -> None:
    """Make kinds and experiment files known, beside those that are known already."""
    KINDS.update(kinds)
    FILES.update(files)


def register(name: str, schema: type[Base], run: typing.Any, **parts: typing.Any) -> None:
    """Add a kind of your own.

    Args:
        name: what `kind=NAME` calls it.
        schema: a dataclass of settings that inherits from `lab.config.base.Base`.
        run: a module or object with a function `run(records)`, and `check` and `learners` where it has them
            (`trainers.experiment.Experiment`).
        parts: `report`, as `analysis.report.kinds` describes it.

    Raises:
        ConfigError: the settings are no dataclass of this form, or the name is taken, or that of their class, which
            is part of a run's hash.
    """
    if not (issubclass(schema, Base) and "__dataclass_params__" in vars(schema)):
        raise ConfigError(f"kind {name}: its settings must be a dataclass that inherits from lab.config.base.Base")
    if name in KINDS and KINDS[name].schema is not schema:
        raise ConfigError(f"kind {name}: the name is taken; taken are {', '.join(KINDS)}")
    if schema.__name__ in {kind.schema.__name__ for other, kind in KINDS.items() if other != name}:
        raise ConfigError(f"kind {name}: there are settings called {schema.__name__} already; rename the class")
    KINDS[name] = Kind(name, schema, {"run": run, **parts}.__getitem__, has_report="report" in parts)


def kind_of(settings: Base | type[Base]) -> str:
    """Return the name of the kind that has these settings, or settings of this type."""
    schema = settings if isinstance(settings, type) else type(settings)
    return next(name for name, kind in KINDS.items() if kind.schema is schema)


def choices(schema: type[Base], key: str) -> dict[str, type]:
    """Return {name: schema} of all that a kind's settings allow for a key that chooses among schemas: for `data` these
    are tables, or logs of interactions."""
    annotation = typing.get_type_hints(schema)[key]
    allowed = typing.get_args(annotation) or (annotation,)
    return {name: each for name, each in SCHEMAS[key].items() if issubclass(each, allowed)}


def tell_hydra() -> None:
    """Store every kind, schema and experiment file, as they are now, in Hydra's store; those that are there already
    stay."""
    ConfigStore.__deepcopy__ = _itself
    store = ConfigStore.instance()
    for name, kind in KINDS.items():
        if _is_stored(store, "schema", name, kind.schema):
            continue
        chosen = [{f"/{key}": default} for key, default in kind.schema.GROUPS.items()]
        node = {"defaults": [f"/schema/{name}", *chosen, "_self_"]}
        store.store(group="kind", name=name, node=node, package="_global_")
        store.store(group="schema", name=name, node=kind.schema, package="_global_")
    for group, schemas in SCHEMAS.items():
        for name, schema in schemas.items():
            if not _is_stored(store, group, name, schema):
                store.store(group=group, name=name, node=schema)
    for name in FILES.keys() - {file.removesuffix(".yaml") for file in store.repo.get("experiment", {})}:
        store.store(group="experiment", name=name, node=contents(FILES[name]), package="_global_")


@functools.cache
def contents(file: pathlib.Path) -> dict:
    """Return the entries of an experiment's file."""
    return yaml.load(file.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _itself(store: ConfigStore, memo: dict) -> ConfigStore:
    """Hydra copies the one store, with every schema in it, whenever it composes a configuration, and never writes into
    the copy: what it loads from a store is a copy already. Without that, composing takes half of the time."""
    return store


def _is_stored(store: ConfigStore, group: str, name: str, schema: type) -> bool:
    """Return whether Hydra has this very schema by this name: making a node of it takes milliseconds."""
    stored = store.repo.get(group, {}).get(f"{name}.yaml")
    return stored is not None and OmegaConf.get_type(stored.node) is schema
