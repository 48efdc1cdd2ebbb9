"""The numbers in an answer, read from a summary: means with their errors, and seeds."""

import math
from collections.abc import Mapping

from analysis.report import blocks
from analysis.report.blocks import Number
from lab.config.identity import shown
from lab.config.kinds import KINDS


def number(summary: Mapping, name: str) -> Number | None:
    """Return a headline number of a run, or None if it was not measured.

    Errors are over seeds or, for a single seed, over its many episodes.
    """
    measured = blocks.number(summary["numbers"], name)
    return measured if math.isfinite(measured.mean) else None


def setting(summary: Mapping, key: str) -> str:
    """Return the value of a key of a run, or its default; "" for a kind without this key."""
    if key in summary["settings"]:
        return summary["settings"][key]
    value: object = KINDS[summary["kind"]].schema() if summary["kind"] in KINDS else None
    for name in key.split("."):
        value = getattr(value, name, None)
    return "" if value is None else shown(value)


def seeds(summary: Mapping) -> int:
    """Return the number of seeds of a run: for a sweep the largest of its points."""
    if "points" in summary:
        return max((seeds(point) for point in summary["points"].values()), default=1)
    value = setting(summary, "seeds")
    return int(value) if value.isdigit() else 1
