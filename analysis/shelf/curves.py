"""The learning curves of a run for the page: means over seeds, thinned to the steps that a screen can show."""

import math
import statistics
from collections.abc import Iterator

from analysis.shelf.item import Item, is_number
from analysis.tables.columns import Curves
from lab.runs import safe_read
from lab.runs.files import METRICS

STEPS = 120  # most steps of a curve
CURVES = 40  # most curves of a run
LARGEST = 2**24  # bytes of metrics.jsonl that are read


def curves(item: Item) -> dict[str, tuple[list[float], list[float], list[float | None]]]:
    """Return {name: (steps, means over seeds, their standard errors)} of what a run measured while it trained.

    A standard error is None where there is one seed. Members of a population that a text tells apart, beside their
    seed, are curves of their own.
    """
    groups: dict[str, dict[float, list[float]]] = {}
    for row in _members(item):
        step = row.pop(Curves.STEP, None)
        row.pop(Curves.SEED, None)
        if not is_number(step):
            continue
        place = ", ".join(f"{key}={value}" for key, value in row.items() if isinstance(value, str))
        for name, value in row.items():
            label = f"{name}, {place}" if place else name
            if is_number(value) and (label in groups or len(groups) < CURVES):
                groups.setdefault(label, {}).setdefault(step, []).append(value)
    return {name: _thinned(steps) for name, steps in groups.items() if len(steps) > 1}


def _members(item: Item) -> Iterator[dict]:
    """Yield a dictionary per evaluation and member of the population, from metrics.jsonl."""
    for line in (safe_read.text(item.path / METRICS, LARGEST) or "").splitlines():
        try:
            entries = safe_read.from_json(line)
        except ValueError:  # the last line of a run at work, or somebody else's
            continue
        members = entries.get("members") if isinstance(entries, dict) else None
        yield from (dict(member) for member in members if isinstance(member, dict)) if isinstance(members, list) else ()


def _thinned(values: dict[float, list[float]]) -> tuple[list[float], list[float], list[float | None]]:
    steps = sorted(values)
    if len(steps) > STEPS:
        steps = [steps[round(place * (len(steps) - 1) / (STEPS - 1))] for place in range(STEPS)]
    means = [_rounded(statistics.fmean(values[step])) for step in steps]
    errors = [
        _rounded(statistics.stdev(values[step]) / math.sqrt(len(values[step]))) if len(values[step]) > 1 else None
        for step in steps
    ]
    return steps, means, errors if any(error is not None for error in errors) else []


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")
