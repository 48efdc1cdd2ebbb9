"""The points of a sweep, made from its `parts` and `grid`, and their division into programs. No JAX here.

A point is a part (where there are parts) with one value of every key of the grid. It is a run like any other, in the
directory that a single run of the same settings has. A part whose overrides choose an experiment of its own (`fig1:
[experiment=fig1]`) may be a sweep itself; then its point has points.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Iterator

from lab.config.base import Base
from lab.config.compose import compose, compose_run, input_words
from lab.config.identity import config_hash, iter_settings
from lab.config.override import MOST_VALUES, axes, parse
from lab.errors import ConfigError

OF_THE_SWEEP = ("parts", "~parts", "grid=", "sweep.", "figure=")  # overrides of the sweep itself, not of its points
OF_A_PROCESS = ("run", "hosts", "sweep")  # keys that a point may not set
OWN = ("experiment", "size")  # keys that a part with its own experiment does not inherit


@dataclasses.dataclass(frozen=True)
class Point:
    """One run, or a sweep with its points."""

    name: str  # "rag_dot, num_documents=5"; empty for the run or sweep of the command line itself
    place: dict[str, str]  # {"part": "rag_dot", "task.num_documents": "5"}: one column each in tables
    settings: Base
    words: list[str]  # the overrides that run it alone
    points: list["Point"] = dataclasses.field(default_factory=list)
    typed: list[str] = dataclasses.field(default_factory=list)  # as the user gave them, with -m; empty: as `words`

    @property
    def shown_words(self) -> list[str]:
        """Return the overrides of the command that repeats it."""
        return self.typed or self.words

    @property
    def runs(self) -> list["Point"]:
        """Return its single runs: all runs of its points, or itself if it has none."""
        return [run for point in self.points for run in point.runs] if self.settings.has_points else [self]


def point(
    words: list[str], name: str = "", place: dict[str, str] | None = None, typed: list[str] | None = None
) -> Point:
    """Return the run or sweep of a command line, with all its points.

    Args:
        words: the overrides.
        name, place: name and place of the point, if it belongs to a sweep.
        typed: the overrides as the user typed them, if they differ.

    Raises:
        ConfigError: two points are the same run, or the settings of one are not allowed.
        DataError: a file whose checksum is part of a run's hash is not there.
    """
    settings = compose_run(words)
    points = _points(settings, words) if settings.has_points else []
    return Point(name, place or {}, settings, words, points, typed or [])


def programs(points: list[Point]) -> list[list[Point]]:
    """Divide single runs into groups, each of which one call of their kind's `run` takes (`Base.together`)."""
    groups: dict[object, list[Point]] = {}
    for number, each_point in enumerate(points):
        key = each_point.settings.together()
        groups.setdefault((type(each_point.settings), number if key is None else key), []).append(each_point)
    return list(groups.values())


def _points(settings: Base, words: list[str]) -> list[Point]:
    own_words = [word for word in words if not word.lstrip("+").startswith(OF_THE_SWEEP)]
    keys = {parse(word).key for word in own_words}
    if settings.parts and "task" in keys:
        raise ConfigError(
            f"task: experiment={settings.name} has parts, {', '.join(settings.parts)}, that choose theirs"
        )
    declared = axes(settings.grid)
    # A key of the grid may be fixed on the command line; tables show its value all the same.
    grid = {key: values for key, values in declared.items() if key not in keys}
    texts = {setting.key: setting.shown for setting in iter_settings(settings)}
    fixed = {key: texts[key] for key in declared if key in keys and key in texts}
    points, runs = [], 0
    for part, part_words in (settings.parts or {"": []}).items():
        plain, listed = _split(part_words, keys)
        _refuse_keys_of_a_process([*plain, *listed, *grid])
        _check_number(len(points) + math.prod(map(len, (*listed.values(), *grid.values()))))
        alone = _alone(settings, own_words, plain)
        for values in itertools.product(*listed.values(), *grid.values()):
            varied = dict(zip([*listed, *grid], values, strict=True))
            place = ({"part": part} if settings.parts else {}) | varied
            changes = [*plain, *(f"{key}={value}" for key, value in varied.items())]
            point_words = _point_words(alone, changes, own_words)
            points.append(point(point_words, _name(place), place | {key: fixed[key] for key in fixed}))
            runs += len(points[-1].runs)
            _check_number(runs)
    _refuse_twice(settings, points)
    return points


def _refuse_keys_of_a_process(words: Iterable[str]) -> None:
    """Refuse (ConfigError) words by which a point would say where its results go, or how processes work together."""
    for word in words:
        if (key := word.lstrip("+~").partition("=")[0]).partition(".")[0] in OF_A_PROCESS:
            raise ConfigError(f"{key}: of the whole command line, not of a point in parts or grid")


def _check_number(points: int) -> None:
    """Refuse (ConfigError) a sweep with more points than are built."""
    if points > MOST_VALUES:
        raise ConfigError(f"grid: {points:,} points, and a sweep has at most {MOST_VALUES:,}; list fewer values")


def _split(part: list[str], keys: set[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return the overrides of a part that set a single value, and {key: values} of the overrides that list several."""
    listed = [word for word in part if parse(word).options]
    several = {key: values for key, values in axes(listed).items() if key not in keys}
    return [word for word in part if word not in listed], several


def _alone(settings: Base, words: list[str], part: list[str]) -> list[str]:
    """Return the overrides that turn a sweep's settings into a single run's: they remove grid, parts and figure.

    Empty for a part with an experiment of its own, which may stay a sweep.

    Args:
        words: the overrides of the command line, without the sweep's own.
        part: the overrides of the point's part.
    """
    if any(word.startswith("experiment=") for word in part):
        return []
    declared = compose(words)
    figure = ["figure=''"] if declared.has_points else []
    return [*figure, *(["grid=[]"] if declared.grid else []), *(["~parts"] if declared.parts else [])]


def _point_words(alone: list[str], changes: list[str], words: list[str]) -> list[str]:
    """Return the command line of a point.

    Overrides of the sweep's command line win over the part's. A part with an experiment of its own gets only overrides
    of keys that its experiment has.

    Args:
        alone: the result of `_alone`.
        changes: the overrides of the part, and of every varied key with one value.
        words: the overrides of the sweep's command line, without the sweep's own.
    """
    if not any(word.startswith("experiment=") for word in changes):
        return [*alone, *changes, *words]
    keys = {setting.key for setting in iter_settings(compose(changes))}
    keys_and_sections = keys | {key.split(".")[0] for key in keys}
    words_with_key = [word for word in words if (key := parse(word).key) not in OWN and key in keys_and_sections]
    return [*changes, *words_with_key]


def _refuse_twice(settings: Base, points: list[Point]) -> None:
    """Refuse (ConfigError) a grid in which a run appears twice, surely by mistake. Different parts may share a run."""
    by_hash: dict[tuple, Point] = {}
    for each_point in points:
        key = (each_point.place.get("part"), config_hash(each_point.settings))
        if (other := by_hash.setdefault(key, each_point)) is not each_point:
            raise ConfigError(f"grid: the points {other.name!r} and {each_point.name!r} are one and the same run")


def _name(place: dict[str, str]) -> str:
    """Return the name of a point: its part, and KEY=VALUE of every varied key.

    KEY is the last name of a key (`num_documents`), or the whole key where the last names are not unique.
    """
    last = {key: key.split(".")[-1] for key in place}
    clear = len({*last.values()}) == len(last)
    items = (f"{last[key] if clear else key}={value}" if key != "part" else value for key, value in place.items())
    return ", ".join(items)


def walk(root: Point) -> Iterator[Point]:
    """Yield a point and all points below it."""
    yield root
    for child in root.points:
        yield from walk(child)


def with_inputs(root: Point) -> Iterator[Point]:
    """Yield a point, all points below it, and all runs that these start from."""
    for run in walk(root):
        yield run
        for needed in inputs(run):
            yield from with_inputs(needed)


def inputs(run: Point) -> list[Point]:
    """Return the runs that a run starts from."""
    settings = run.settings
    return [point(input_words(words, settings)) for words in settings.inputs() if not settings.has_points]
