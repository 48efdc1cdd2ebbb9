"""The lab's kinds of experiment: FAMILY/KIND/, one folder each, found by listing.

    __init__.py       two sentences: what lives there, and what must not
    settings.py       a dataclass that inherits from `lab.config.base.Base`: the keys, what is allowed, what it starts
                      from, and TINY, the words of its smallest honest run. No JAX
    run.py            run(records): settings in, tables out (`trainers.experiment.Experiment`)
    figure.py         the figure of a run, which is called as the folder; further ones are figures/NAME.py, and `FIGURE`
                      of the settings may name one of them for a run. No JAX
    results.py        what it measures, once: columns, headline numbers, the answer of a run, claims; a package results/
                      where it is long. No JAX, no Matplotlib
    *.yaml            its experiments, with question, command and what to expect in the first comments

How long an experiment takes is a row of `costs.csv`. Whatever else a folder has belongs to that kind. Kinds of a family
may import one another; families do not. `papers` has YAML files alone: sweeps of experiments of several kinds. `kept`
is no family: it has trained models (`kept_models.py`).
"""

import functools
import importlib
import pathlib

from lab.config.base import Base
from lab.config.kinds import OPTIONAL, Kind

HERE = pathlib.Path(__file__).parent
KEPT = HERE / "kept"  # runs that are finished, whose YAML files are no experiments


def kinds() -> dict[str, Kind]:
    """Return the kinds by name, with their settings; their other parts are imported when they are asked for.

    Raises:
        TypeError: a folder's settings.py does not define exactly one kind.
    """
    return {path.parent.name: _kind(path.parent) for path in sorted(HERE.glob("*/*/settings.py"))}


def files() -> dict[str, pathlib.Path]:
    """Return the files of the experiments by name."""
    return {path.stem: path for path in yaml_files()}


def yaml_files() -> list[pathlib.Path]:
    """Return the files of the experiments, sorted by their paths."""
    return [path for path in sorted(HERE.rglob("*.yaml")) if KEPT not in path.parents]


def _kind(folder: pathlib.Path) -> Kind:
    name, load = folder.name, functools.partial(_part, f"{__name__}.{folder.parent.name}.{folder.name}")
    drawn_by = {path.stem: f"figures.{path.stem}" for path in sorted(folder.glob("figures/[!_]*.py"))}
    if (folder / "figure.py").exists():
        drawn_by[name] = "figure"
    parts = frozenset(part for part in OPTIONAL if (folder / part).is_dir() or (folder / f"{part}.py").exists())
    return Kind(name, _schema(load("settings")), load, drawn_by, parts, folder)


def _part(package: str, part: str):
    return importlib.import_module(f"{package}.{part}")


def _schema(module) -> type[Base]:
    """Return the one class of a settings.py that is defined there and inherits from `Base`."""
    classes = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Base)]
    own = [each for each in classes if each.__module__ == module.__name__]
    if len(own) != 1:
        names = ", ".join(each.__name__ for each in own) or "none"
        raise TypeError(f"{module.__file__}: it must define one class that inherits from Base, and defines {names}")
    return own[0]
