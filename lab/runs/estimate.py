"""Estimates of a command line: too large runs are refused, and long ones announced. No JAX.

The expected time is the operations of the runs that are not done yet, divided by a rate. Finished runs below the same
`run.dir`, of the same experiment or at least of the same kind, show the rate; without them it is a default.
"""

import functools
import math
import pathlib
import statistics
from collections.abc import Iterator
from typing import Any

from lab.config.base import Base
from lab.config.choices import Stage
from lab.config.kinds import kind_of
from lab.config.points import Point, point, programs, with_inputs
from lab.config.sizes import Sizes, bytes_of, refuse, sizes_of
from lab.runs import console, machine, safe_read
from lab.runs.directory import RunDirectory

BASE = 700e6  # bytes that JAX, its compiler and Matplotlib take in every run
SHORT = 10.0  # seconds: a shorter run is not announced
LATEST = 30  # finished runs that are looked at
LEAST = 3.0  # seconds: a run with less work says nothing about the rate
FACTOR = 10  # a measured rate is believed up to so many times the default


def prepared(words: list[str], typed: list[str] | None = None) -> Point:
    """Return the run or sweep of a command line, after its runs have been checked (`announce`).

    Args:
        typed: as `lab.config.points.point` has it.

    Raises:
        ConfigError, DataError: as `lab.config.points.point` and `announce`.
    """
    root = point(words, typed=typed)
    announce(root)
    return root


def announce(root: Point) -> None:
    """Refuse runs that are too large for this machine, and say about how long the others take together.

    Nothing is written. Runs that are done already are left out.

    Raises:
        ConfigError: a run does not fit the memory, or would show no progress for hours.
    """
    settings = root.settings
    if settings.sweep.stage is Stage.gather:
        return
    seconds, memory = expected(root)
    if seconds > SHORT and settings.sweep.stage is Stage.all and settings.hosts.process == 0:
        console.say(f"about {duration(seconds)} here, {size(memory)}")


def expected(root: Point) -> tuple[float, float]:
    """Return the seconds and the bytes that the runs of a command line take here, as far as they are not done.

    Raises:
        ConfigError: as `announce`.
    """
    seconds, memory, rate_once = 0.0, 0.0, functools.cache(_rate)
    for program in _programs_left(root):
        first, sizes = program[0], [sizes for each in program if (sizes := sizes_of(each.settings))]
        name = first.name if first is not root else ""
        limits = machine.bounds(first.settings.device)
        refuse([first.settings], limits, name)
        if len(program) > 1:
            refuse([each.settings for each in program], limits, f"{name} and {len(program) - 1} others, side by side")
        seconds += _seconds(sizes, rate_once(*_place(first.settings)))
        memory = max(memory, BASE + bytes_of(sizes))
    return seconds, memory


def _programs_left(root: Point) -> Iterator[list[Point]]:
    """Yield the runs that are not done, those that they start from first, in groups that one program takes."""
    runs: dict[str, Point] = {}
    for each in with_inputs(root):
        directory = RunDirectory.of(each.settings)
        if not each.settings.has_points and (each.settings.run.force or not directory.done):
            runs.setdefault(str(directory.path), each)
    own = {str(RunDirectory.of(each.settings).path) for each in root.runs}
    yield from programs(sorted(runs.values(), key=lambda each: str(RunDirectory.of(each.settings).path) in own))


def _seconds(sizes: list[Sizes], rate: float) -> float:
    """Return the expected seconds of the runs of one program, at a rate in multiply-adds per second."""
    if not sizes:
        return 0.0
    fixed = [each.seconds for each in sizes]
    work = sum(each.work for each in sizes)
    return (max(fixed) if sizes[0].joint else sum(fixed)) + work / rate


def rate(settings: Base) -> float:
    """Return the multiply-adds per second that finished runs of this experiment or kind show, else a default."""
    return _rate(*_place(settings))


def _place(settings: Base) -> tuple[str, str, str]:
    """Return the folder, the experiment and the kind by which finished runs are found."""
    return settings.run.dir, settings.name, kind_of(settings)


def _rate(folder: str, name: str, kind: str) -> float:
    default = machine.RATE * machine.cores()
    measured = _measured(pathlib.Path(folder), name, kind)
    return min(max(measured or default, default / FACTOR), default * FACTOR)


def _measured(folder: pathlib.Path, name: str, kind: str) -> float | None:
    """Return the median rate of the latest finished runs."""
    for pattern in (f"{name or '*'}/*/DONE", "*/*/DONE"):
        marks = sorted(folder.glob(pattern), key=lambda mark: mark.stat().st_mtime, reverse=True)[:LATEST]
        rates = [each for mark in marks if (each := _rate_of(mark.parent / "summary.json", kind)) is not None]
        if rates:
            return statistics.median(rates)
    return None


def _rate_of(file: pathlib.Path, kind: str) -> float | None:
    """Return the rate of one finished run; None where its summary does not have it."""
    try:
        summary: Any = safe_read.from_json(safe_read.text(file) or "")
        if summary["kind"] != kind:
            return None
        estimated = summary["estimated"]
        runs = summary.get("together", {}).get("runs", 1)  # the seconds are those of all of them
        seconds = summary["seconds"]["total"] - estimated["seconds"]
        rate = runs * estimated["operations"] / seconds
        return rate if seconds > LEAST and math.isfinite(rate) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError):
        return None


def duration(seconds: float) -> str:
    """Return a rough duration in words.

    >>> duration(42), duration(250), duration(9000), duration(400000)
    ('40 seconds', '4 minutes', '2.5 hours', '5 days')
    """
    if seconds < 90:
        return f"{10 * max(1, round(seconds / 10))} seconds"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} minutes"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.2g} hours"
    return f"{round(seconds / 86400)} days"


def size(count: float) -> str:
    """Return a rough size in words.

    >>> size(412e6), size(2.34e9)
    ('410 MB', '2.3 GB')
    """
    return f"{round(count / 1e7) * 10} MB" if count < 1e9 else f"{count / 1e9:.2g} GB"
