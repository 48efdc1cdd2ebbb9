"""The results of a run or a sweep in a report: from its kind's module `report`, or from `generic`.

The functions `of_run(summary)` and `of_points(summary)` return lists of blocks with the results of a run, or of a
sweep's points. `answer_of_run(summary)` and `answer_of_points(summary)` return one sentence or two: the answer to the
experiment's question, with its numbers, their errors, the verdict and the number of seeds, or "" if a number that it
needs is absent. A kind with a part `results` has its answers from there. `generic` takes the place of functions that a
report lacks, and of answers that are "".
"""

import functools
from collections.abc import Callable

from analysis.figures.labels import kind_of_points
from analysis.report import generic, template
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
    """Return the answer to the experiment's question, one sentence or two, from the summary's numbers and claims.

    The answer of a sweep of sweeps counts its claims, and repeats the answer of its first part.
    """
    if "points" not in summary:
        return _own(summary["kind"], "answer_of_run")(summary) or generic.answer_of_run(summary)
    sentence = _own(kind_of_points(summary), "answer_of_points")(summary) or generic.answer_of_points(summary)
    nested = next((name for name, point in summary["points"].items() if "points" in point), None)
    return f"{sentence} {nested}: {answer(summary['points'][nested])}" if nested else sentence


def _own(kind: str, function: str) -> Callable:
    parts = KINDS[kind].parts if kind in KINDS else ()
    if "report" in parts and (own := getattr(KINDS[kind].load("report"), function, None)):
        return own
    if "results" in parts and hasattr(template, function):
        return functools.partial(getattr(template, function), KINDS[kind].load("results"))
    return getattr(generic, function)
