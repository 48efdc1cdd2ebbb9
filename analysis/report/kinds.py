"""The results of a run or a sweep as its kind shows them: by its module `report`, or by `generic` if it has none.

A report has `of_run(summary)` and `of_points(summary)`, which return lists of blocks: the results of a run, and those
of a sweep's points; and `answer_of_run(summary)` and `answer_of_points(summary)`, which return one sentence. A function
that the kind's report lacks is that of `generic`.
"""

from collections.abc import Callable

from analysis.report import generic
from analysis.report.blocks import Block
from lab.config.kinds import KINDS


def of_run(summary: dict) -> list[Block]:
    """Return the results of a run, from its summary."""
    return _own(summary["kind"], "of_run")(summary)


def of_points(summary: dict) -> list[Block]:
    """Return the results of a sweep's points, from its summary.

    Points of several kinds, and points that are sweeps, are shown by `generic`.
    """
    return _own(kind_of_points(summary), "of_points")(summary)


def answer(summary: dict) -> str:
    """Return the main result of a run or a sweep as one sentence made from its numbers and claims; "" without any."""
    if "points" not in summary:
        return _own(summary["kind"], "answer_of_run")(summary)
    return _own(kind_of_points(summary), "answer_of_points")(summary)


def kind_of_points(summary: dict) -> str:
    """Return the kind of a sweep's points if all are runs of one kind; "" otherwise."""
    points = summary["points"].values()
    kinds = {point["kind"] for point in points}
    return kinds.pop() if len(kinds) == 1 and not any("points" in point for point in points) else ""


def _own(kind: str, function: str) -> Callable:
    has_own = kind in KINDS and KINDS[kind].has_report
    return getattr(KINDS[kind].load("report") if has_own else generic, function, getattr(generic, function))
