"""The points of a sweep: what `parts` and `grid` stand for, and which of them can train in one program.

A point is a part (where there are parts) with one value of every key of the grid, and a run like any other: its
directory is the one that the same settings have alone. No JAX here, since a launcher asks how many programs there are.
"""

import dataclasses
import itertools
import json

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob

from lab.config.choices import OF_LEARNED_FEATURES, OF_ONE_RUN, Figure
from lab.config.comparison import Config
from lab.config.compose import compose
from lab.config.identity import config_hash, program_keys
from lab.errors import ConfigError


@dataclasses.dataclass(frozen=True)
class Point:
    name: str  # "rag_dot, num_documents=5"
    where: dict[str, str]  # {"part": "rag_dot", "task.num_documents": "5"}: its place, a column each in tables
    config: Config
    words: list[str]  # of the command line that runs it alone


def axes(grid: list[str]) -> dict[str, list[str]]:
    """{key: values} of KEY=VALUE,VALUE,... words, in Hydra's notation for sweeps.

    Raises:
        ConfigError: a word that does not list values.
        HydraException: a word that Hydra does not understand.
    """
    found = {}
    for word, override in zip(grid, OverridesParser.create().parse_overrides(grid), strict=True):
        if not override.is_discrete_sweep() or isinstance(override.value(), Glob):
            raise ConfigError(f"grid: {word!r} lists no values; allowed are KEY=VALUE,VALUE,... and KEY=range(A,B)")
        found[override.get_key_element()] = list(override.sweep_string_iterator())
    return found


def points(config: Config, words: list[str]) -> list[Point]:
    """All points of a configuration that the command line's `words` gave; where these set a key, they win.

    Raises:
        ConfigError: two points are the same run, or the settings of one are not allowed.
    """
    mine = [word for word in words if not word.startswith(("parts", "~parts", "grid=", "sweep.", "figure="))]
    given = {word.split("=")[0].lstrip("+") for word in mine}
    if config.parts and "task" in given:
        raise ConfigError(f"task: experiment={config.name} has parts, {', '.join(config.parts)}, that choose theirs")
    grid = {key: values for key, values in axes(config.grid).items() if key not in given}
    of_one_run = Figure.tabular if config.figure in OF_LEARNED_FEATURES else Figure.training
    figure = config.figure if config.figure in OF_ONE_RUN else of_one_run
    alone = [f"figure={figure.name}", *(["grid=[]"] if config.grid else []), *(["~parts"] if config.parts else [])]
    found = []
    for part in config.parts or [None]:
        for values in itertools.product(*grid.values()):
            at = dict(zip(grid, values, strict=True))
            changes = [*(config.parts[part] if part else []), *(f"{key}={value}" for key, value in at.items())]
            where = ({"part": part} if part else {}) | at
            composed = [*alone, *changes, *mine]
            found.append(Point(_name(where), where, compose(composed), composed))
    by_hash = {}
    for point in found:
        if (other := by_hash.setdefault(config_hash(point.config), point)) is not point:
            raise ConfigError(f"grid: the points {other.name!r} and {point.name!r} are one and the same run")
    return found


def programs(of: list[Point]) -> list[list[Point]]:
    """The points that differ in numbers alone, together."""
    groups: dict[str, list[Point]] = {}
    for point in of:
        groups.setdefault(json.dumps(program_keys(point.config), sort_keys=True), []).append(point)
    return list(groups.values())


def _name(where: dict[str, str]) -> str:
    """The last words of the keys, which is how people call them, or the whole keys where that is ambiguous."""
    last = {key: key.split(".")[-1] for key in where}
    clear = len({*last.values()}) == len(last)
    shown = (f"{last[key] if clear else key}={value}" if key != "part" else value for key, value in where.items())
    return ", ".join(shown)
