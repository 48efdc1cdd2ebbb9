"""The seconds that a command line takes here, as finished runs below the same `run.dir` show. No JAX.

A run takes as long as finished ones whose settings differ in seeds and in other numbers that change no shape; twice as
many seeds take twice as long.
"""

import contextlib
import functools
import math
import pathlib
import statistics
from typing import Any

from lab.config.base import Base
from lab.config.choices import Stage
from lab.config.experiments import duration
from lab.config.identity import iter_settings, shown_differences
from lab.config.kinds import kind_of
from lab.config.points import Point, point, with_inputs
from lab.runs import console, safe_read
from lab.runs.directory import RunDirectory

SHORT = 10.0  # seconds: a shorter run is not announced
LATEST = 200  # finished runs of an experiment that are looked at


def prepared(words: list[str], typed: list[str] | None = None) -> Point:
    """Return the run or sweep of a command line, and say about how long it takes, where finished runs show it.

    Args:
        typed: as `lab.config.points.point` has it.

    Raises:
        ConfigError, DataError: as `lab.config.points.point`.
    """
    root = point(words, typed=typed)
    settings = root.settings
    if settings.sweep.stage is Stage.all and settings.hosts.process == 0 and (seconds := expected(root) or 0.0) > SHORT:
        console.say(f"about {duration(seconds)} here, as finished runs took")
    return root


def expected(root: Point) -> float | None:
    """Return the seconds that the runs of a command line take together, as far as they are not done; None where no
    finished run shows how long one of them takes."""
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
    """Return the seconds that finished runs took or would have taken with as many seeds."""
    numbers = {one.key: one for one in iter_settings(settings)}
    free = {"seed", "seeds", "made_from"} | {key for key, one in numbers.items() if isinstance(one.value, float)}
    own = {key: value for key, value in shown_differences(settings).items() if key not in free}
    seconds = []
    for summary in finished:
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, ArithmeticError):  # a damaged file
            different = summary["settings"]
            if summary["kind"] == kind_of(settings) and {k: v for k, v in different.items() if k not in free} == own:
                runs = summary.get("together", {}).get("runs", 1)  # the seconds are those of all of them
                seeds = int(different.get("seeds", numbers["seeds"].default)) if "seeds" in numbers else 1
                seconds.append(float(summary["seconds"]["total"]) / runs / seeds * getattr(settings, "seeds", 1))
    return [each_run for each_run in seconds if math.isfinite(each_run)]


def _finished(folder: pathlib.Path, name: str) -> list[Any]:
    """Return the summaries of the latest finished runs of an experiment."""
    marks = sorted(folder.glob(f"{name}/*/DONE"), key=lambda mark: mark.stat().st_mtime, reverse=True)[:LATEST]
    summaries = []
    for mark in marks:
        with contextlib.suppress(OSError, ValueError):
            summaries.append(safe_read.from_json(safe_read.text(mark.parent / "summary.json") or ""))
    return summaries
