"""The results of a run or a sweep as its kind shows them: by its module `report`, or by `generic` if it has none.

A report has `of_run(summary)` and `of_points(summary)`, which return lists of blocks: the results of a run, and those
of a sweep's points; and `answer_of_run(summary)` and `answer_of_points(summary)`, which return one sentence or two: the
answer to the question of the kind's experiments, with its numbers, their errors, the verdict and the number of seeds,
or "" where the numbers that it needs are absent. A kind with a part `results` has its answers from there. Every kind of
the lab answers. Another function that a report lacks is
that of `generic`, and so is an answer that is "".
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

    That of a sweep of sweeps counts its claims, and has the answer of its first part.
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
