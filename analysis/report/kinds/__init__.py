"""How the results of each kind of experiment are shown: one file per kind that has a way of its own, named as the kind.

Such a file has `of_run(summary)` and `of_points(summary)`, each a list of blocks: the results of a run, and those of a
sweep's points; and `answer_of_run`, `answer_of_points`, the same in one sentence. What it has not, and kinds without a
file, are shown by `generic`.
"""

import importlib
import importlib.util
from collections.abc import Callable

from analysis.report.blocks import Block
from analysis.report.kinds import generic


def of_run(summary: dict) -> list[Block]:
    """The results of a run, from its summary."""
    return _own(summary["kind"], "of_run")(summary)


def of_points(summary: dict) -> list[Block]:
    """The results of a sweep's points, from its summary; of points of several kinds, and of sweeps, what all have."""
    return _own(_kind_of_points(summary), "of_points")(summary)


def answer(summary: dict) -> str:
    """What came out, of a run or of a sweep, in one sentence made from its numbers and claims; "" if it has none."""
    if "points" not in summary:
        return _own(summary["kind"], "answer_of_run")(summary)
    return _own(_kind_of_points(summary), "answer_of_points")(summary)


def _kind_of_points(summary: dict) -> str:
    """Theirs if it is one, and they are runs."""
    points = summary["points"].values()
    kinds = {point["kind"] for point in points}
    return kinds.pop() if len(kinds) == 1 and not any("points" in point for point in points) else ""


def _own(kind: str, function: str) -> Callable:
    there = kind.isidentifier() and importlib.util.find_spec(f"{__name__}.{kind}") is not None
    module = importlib.import_module(f"{__name__}.{kind}") if there else generic
    return getattr(module, function, getattr(generic, function))
