"""The points of a sweep: what `parts` and `grid` stand for, and which of them are handed to one call. No JAX here.

A point is a part (where there are parts) with one value of every key of the grid, and a run like any other: its
directory is the one that the same settings have alone. A part whose words choose an experiment of their own
(`fig1: [experiment=fig1]`) may be a sweep itself; then its point has points.
"""

import dataclasses
import itertools
from collections.abc import Iterator

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override

from lab.config.base import Base
from lab.config.compose import compose, compose_run
from lab.config.identity import config_hash, each
from lab.errors import ConfigError

OF_THE_SWEEP = ("parts", "~parts", "grid=", "sweep.", "figure=")  # words that are no part of a point's own


@dataclasses.dataclass(frozen=True)
class Point:
    """What is launched: one run, or a sweep with its points."""

    name: str  # "rag_dot, num_documents=5"; empty for what the command line itself asks for
    place: dict[str, str]  # {"part": "rag_dot", "task.num_documents": "5"}: one column each in tables
    settings: Base
    words: list[str]  # of the command line that runs it alone
    points: list["Point"] = dataclasses.field(default_factory=list)

    @property
    def runs(self) -> list["Point"]:
        """All single runs below it, itself if it is one."""
        return [run for point in self.points for run in point.runs] if self.settings.has_points else [self]


def point(words: list[str], name: str = "", place: dict[str, str] | None = None) -> Point:
    """What a command line asks for, with all its points.

    Raises:
        ConfigError: two points are the same run, or the settings of one are not allowed.
        DataError: a file that a run's name depends on is not there.
    """
    settings = compose_run(words)
    return Point(name, place or {}, settings, words, _points(settings, words) if settings.has_points else [])


def programs(points: list[Point]) -> list[list[Point]]:
    """Single runs, grouped by what can be handed to one call of their experiment."""
    groups: dict[object, list[Point]] = {}
    for number, each_point in enumerate(points):
        key = each_point.settings.together()
        groups.setdefault((type(each_point.settings), number if key is None else key), []).append(each_point)
    return list(groups.values())


def axes(grid: list[str]) -> dict[str, list[str]]:
    """{key: values} of KEY=VALUE,VALUE,... words, in Hydra's notation for sweeps.

    Raises:
        ConfigError: a word that does not list values.
        HydraException: a word that Hydra does not understand.
    """
    values = {}
    for word, override in zip(grid, parse(grid), strict=True):
        if not _lists_values(override):
            raise ConfigError(f"grid: {word!r} lists no values; allowed are KEY=VALUE,VALUE,... and KEY=range(A,B)")
        values[override.get_key_element()] = list(override.sweep_string_iterator())
    return values


def parse(words: list[str]) -> list[Override]:
    """Words as Hydra understands them."""
    return OverridesParser.create().parse_overrides(words)


def _lists_values(override: Override) -> bool:
    return override.is_discrete_sweep() and not isinstance(override.value(), Glob)


def _points(settings: Base, words: list[str]) -> list[Point]:
    given = [word for word in words if not word.startswith(OF_THE_SWEEP)]
    keys = {override.get_key_element() for override in parse(given)}
    if settings.parts and "task" in keys:
        raise ConfigError(
            f"task: experiment={settings.name} has parts, {', '.join(settings.parts)}, that choose theirs"
        )
    declared = axes(settings.grid)
    # A word of the command line fixes a key of the grid; tables show its value all the same.
    grid = {key: values for key, values in declared.items() if key not in keys}
    fixed = {key: setting.shown for key in declared if key in keys for setting in each(settings) if setting.key == key}
    points = []
    for part, part_words in (settings.parts or {"": []}).items():
        plain, listed = _split(part_words, keys)
        alone = _alone(settings, given, plain)
        for values in itertools.product(*listed.values(), *grid.values()):
            varied = dict(zip([*listed, *grid], values, strict=True))
            place = ({"part": part} if settings.parts else {}) | varied
            changes = [*plain, *(f"{key}={value}" for key, value in varied.items())]
            own_words = _own_words(alone, changes, given)
            points.append(point(own_words, _name(place), place | {key: fixed[key] for key in fixed}))
    _refuse_twice(settings, points)
    return points


def _split(part: list[str], keys: set[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The words of a part that set one value, and {key: values} of those that list several."""
    overrides = dict(zip(part, parse(part), strict=True))
    listed = [word for word, override in overrides.items() if _lists_values(override)]
    several = {key: values for key, values in axes(listed).items() if key not in keys}
    return [word for word in part if word not in listed], several


def _alone(settings: Base, given: list[str], part: list[str]) -> list[str]:
    """Words that make one run of a point. A part with an experiment of its own may stay a sweep."""
    if any(word.startswith("experiment=") for word in part):
        return []
    declared = compose(given)
    figure = ["figure=''"] if declared.has_points else []  # which is the sweep's
    return [*figure, *(["grid=[]"] if declared.grid else []), *(["~parts"] if declared.parts else [])]


def _own_words(alone: list[str], changes: list[str], given: list[str]) -> list[str]:
    """The words of a point. Those of the command line win over its part's; a part with an experiment of its own gets
    those for which it has a key."""
    if not any(word.startswith("experiment=") for word in changes):
        return [*alone, *changes, *given]
    keys = {setting.key for setting in each(compose(changes))}
    known = keys | {key.split(".")[0] for key in keys}
    mine = [
        word
        for word, override in zip(given, parse(given), strict=True)
        if (key := override.get_key_element().lstrip("+~")) != "experiment" and (key in known or "/" in key)
    ]
    return [*changes, *mine]


def _refuse_twice(settings: Base, points: list[Point]) -> None:
    """In a grid one run twice is a slip; parts may share a run."""
    by_hash: dict[tuple, Point] = {}
    for each_point in points:
        key = (each_point.place.get("part"), config_hash(each_point.settings))
        if (other := by_hash.setdefault(key, each_point)) is not each_point:
            raise ConfigError(f"grid: the points {other.name!r} and {each_point.name!r} are one and the same run")


def _name(place: dict[str, str]) -> str:
    """The last words of the keys, which is how people call them, or the whole keys where that is ambiguous."""
    last = {key: key.split(".")[-1] for key in place}
    clear = len({*last.values()}) == len(last)
    shown = (f"{last[key] if clear else key}={value}" if key != "part" else value for key, value in place.items())
    return ", ".join(shown)


def walk(root: Point) -> Iterator[Point]:
    """A point and all below it."""
    yield root
    for below in root.points:
        yield from walk(below)
