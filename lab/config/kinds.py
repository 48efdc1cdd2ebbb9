"""The table of all kinds of experiment, and the schemas that a key can choose among.

`run.py` installs the lab's kinds, which it finds by listing the folders of `experiments/`; a file of the user's own
adds one by `register`. Nothing here or below knows a kind by name.
"""

import dataclasses
import pathlib
import typing
from collections.abc import Callable, Mapping

from lab.config.base import Base
from lab.errors import ConfigError
from tasks import settings as tasks
from tasks.datasets import settings as datasets
from tasks.logs import settings as logs

OPTIONAL = ("results",)  # a part that a kind may lack: the results that it declares (`analysis.results.declared`)


@dataclasses.dataclass(frozen=True)
class Kind:
    """One kind of experiment. Its parts are imported when they are first asked for: most need JAX or Matplotlib.

    Args:
        name: its name in `kind=NAME` and in the summary of a run.
        schema: the dataclass of its settings.
        load: returns a part (a module or an object) by its name: `run`, one of `parts`, `figure` or `figures.NAME`.
        figures: {name of a figure: the part that draws it}.
        parts: which of OPTIONAL it has.
        folder: the folder of its code; None for a kind of a user's own file.
    """

    name: str
    schema: type[Base]
    load: Callable[[str], typing.Any]
    figures: Mapping[str, str] = dataclasses.field(default_factory=dict)
    parts: frozenset[str] = frozenset()
    folder: pathlib.Path | None = None


KINDS: dict[str, Kind] = {}
FILES: dict[str, pathlib.Path] = {}  # {experiment: its file}
SCHEMAS: dict[str, dict[str, type]] = {"task": tasks.SCHEMAS, "data": datasets.SCHEMAS | logs.LOGS | logs.ITEM_LOGS}


def install(kinds: Mapping[str, Kind], files: Mapping[str, pathlib.Path]) -> None:
    """Add kinds and experiment files to those that are known already."""
    KINDS.update(kinds)
    FILES.update(files)


def register(name: str, schema: type[Base], run: typing.Any, **parts: typing.Any) -> None:
    """Add a kind of your own.

    Args:
        name: its name in `kind=NAME`.
        schema: a dataclass of settings that inherits from `lab.config.base.Base`.
        run: a module or object with a function `run(records)`, and `check` and `learners` where it has them
            (`trainers.experiment.Experiment`).
        parts: `results`, as `analysis.results.declared` describes it. Without it the answer of a run is its first
            number, and how many of its claims hold, and a number is called as in the tables.

    Raises:
        ConfigError: `schema` is not a dataclass derived from `Base`, or the name of the kind or of the class, which is
            part of a run's hash, is taken.
    """
    if not (issubclass(schema, Base) and "__dataclass_params__" in vars(schema)):
        raise ConfigError(f"kind {name}: its settings must be a dataclass that inherits from lab.config.base.Base")
    if name in KINDS and KINDS[name].schema is not schema:
        raise ConfigError(f"kind {name}: the name is taken; taken are {', '.join(KINDS)}")
    if schema.__name__ in {kind.schema.__name__ for other, kind in KINDS.items() if other != name}:
        raise ConfigError(f"kind {name}: there are settings called {schema.__name__} already; rename the class")
    KINDS[name] = Kind(name, schema, {"run": run, **parts}.__getitem__, parts=frozenset(parts))


def kind_of(settings: Base | type[Base]) -> str:
    """Return the name of the kind that has these settings, or settings of this type."""
    schema = settings if isinstance(settings, type) else type(settings)
    return next(name for name, kind in KINDS.items() if kind.schema is schema)


def figure_of(settings: Base) -> str:
    """Return the name of the figure of a run or sweep: the one in its settings, or the kind's own. The own figure of a
    run is called as the kind where `FIGURE` names none.
    """
    kind = kind_of(settings)
    own = settings.FIGURE or (kind if kind in KINDS[kind].figures else "")
    return settings.figure or (settings.SWEEP_FIGURE if settings.has_points else own)


def results_of(kind: str) -> typing.Any:
    """Return the results that a kind declares (`analysis.results.declared`); None for a kind that declares none, and
    for one that is not installed."""
    return KINDS[kind].load("results") if kind in KINDS and "results" in KINDS[kind].parts else None


def choices(schema: type[Base], key: str) -> dict[str, type]:
    """Return {name: schema} of the schemas that a kind allows for a key: for `data` either tables or logs.

    Args:
        schema: the settings of the kind.
        key: one that chooses among schemas, such as `task` or `data`.
    """
    annotation = typing.get_type_hints(schema)[key]
    allowed = typing.get_args(annotation) or (annotation,)
    return {name: each for name, each in SCHEMAS[key].items() if issubclass(each, allowed)}
