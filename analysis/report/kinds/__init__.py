"""How the results of each kind of experiment are shown: one file per kind that has a way of its own, named as the kind.

Such a file has `of_run(summary)` and `of_points(summary)`, each a list of blocks: the results of a run, and those of a
sweep's points. Kinds without a file are shown by `generic`.
"""

import importlib
import importlib.util
from types import ModuleType

from analysis.report.blocks import Block
from analysis.report.kinds import generic


def of_run(summary: dict) -> list[Block]:
    """The results of a run, from its summary."""
    return _module(summary["kind"]).of_run(summary)


def of_points(summary: dict) -> list[Block]:
    """The results of a sweep's points, from its summary; of points of several kinds, and of sweeps, what all have."""
    points = summary["points"].values()
    kinds = {point["kind"] for point in points}
    if len(kinds) != 1 or any("points" in point for point in points):
        return generic.of_points(summary)
    return _module(*kinds).of_points(summary)


def _module(kind: str) -> ModuleType:
    own = kind.isidentifier() and importlib.util.find_spec(f"{__name__}.{kind}") is not None
    return importlib.import_module(f"{__name__}.{kind}") if own else generic
