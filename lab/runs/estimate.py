"""An estimate of the seconds that a command line takes, from finished runs below the same `run.dir`. No JAX.

Runs whose settings differ only in numbers that change no shape take equally long per seed. Twice as many seeds take
twice as long.
"""

import contextlib
import functools
import math
import pathlib
import statistics
from typing import Any

from lab.config.base import Base
from lab.config.choices import Stage
from lab.config.experiments import duration, finished
from lab.config.identity import iter_settings, shown_differences
from lab.config.kinds import kind_of
from lab.config.points import Point, point, with_inputs
from lab.runs import console, safe_read
from lab.runs.directory import RunDirectory

SHORT = 10.0  # seconds: no estimate is printed for a shorter run
LATEST = 200  # finished runs of an experiment that are read


def prepared(words: list[str], typed: list[str] | None = None) -> Point:
    """Return the run or sweep of a command line, and print an estimate of its seconds if finished runs allow one.

    Args:
        typed: see `lab.config.points.point`.

    Raises:
        ConfigError, DataError: see `lab.config.points.point`.
    """
    root = point(words, typed=typed)
    settings = root.settings
    if settings.sweep.stage is Stage.all and settings.hosts.process == 0 and (seconds := expected(root) or 0.0) > SHORT:
        console.say(f"about {duration(seconds)} here, as finished runs took")
    return root


def expected(root: Point) -> float | None:
    """Return the expected seconds of all unfinished runs of a command line together; None if one of them has no
    finished run to compare with.
    """
    seconds, finished_once = {}, functools.cache(_finished)
    for each_point in with_inputs(root):
        settings, directory = each_point.settings, RunDirectory.of(each_point.settings)
        if settings.has_points or (directory.done and not settings.run.force) or str(directory.path) in seconds:
            continue
        alike = _seconds_of_alike(settings, finished_once(pathlib.Path(settings.run.dir), settings.name))
        if not alike:
            return None
        seconds[str(directory.path)] = statistics.median(alike)
    return sum(seconds.values())


def _seconds_of_alike(settings: Base, finished: list[dict]) -> list[float]:
    """Return the seconds that similar finished runs took, scaled to the same number of seeds."""
    numbers = {one.key: one for one in iter_settings(settings)}
    free = {"seed", "seeds", "made_from"} | {key for key, one in numbers.items() if isinstance(one.value, float)}
    own = {key: value for key, value in shown_differences(settings).items() if key not in free}
    seconds = []
    for summary in finished:
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, ArithmeticError):  # a damaged file
            different = summary["settings"]
            if summary["kind"] == kind_of(settings) and {k: v for k, v in different.items() if k not in free} == own:
                runs = summary.get("together", {}).get("runs", 1)  # runs that share these seconds
                seeds = int(different.get("seeds", numbers["seeds"].default)) if "seeds" in numbers else 1
                seconds.append(float(summary["seconds"]["total"]) / runs / seeds * getattr(settings, "seeds", 1))
    return [each_run for each_run in seconds if math.isfinite(each_run)]


def _finished(folder: pathlib.Path, name: str) -> list[Any]:
    """Return the summaries of the latest finished runs of an experiment."""
    summaries = []
    for path in finished(folder / name)[-LATEST:]:
        with contextlib.suppress(OSError, ValueError):
            summaries.append(safe_read.from_json(safe_read.text(path / "summary.json") or ""))
    return summaries
