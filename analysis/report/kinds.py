"""The answer to an experiment's question, from a run or a sweep.

It is one sentence or two, with numbers, their errors, the verdict and the number of seeds: by the ANSWER of a
kind with a part `results` (`template`), or where that has none by `generic`.
"""

from analysis.figures.labels import kind_of_points
from analysis.report import generic, template
from lab.config.kinds import KINDS


def answer(summary: dict) -> str:
    """Return the answer to the experiment's question, one sentence or two, from the summary's numbers and claims.

    The answer of a sweep of sweeps counts its claims, and repeats the answer of its first part.
    """
    if "points" not in summary:
        return _own(summary["kind"], "answer_of_run", summary) or generic.answer_of_run(summary)
    sentence = _own(kind_of_points(summary), "answer_of_points", summary) or generic.answer_of_points(summary)
    nested = next((name for name, point in summary["points"].items() if "points" in point), None)
    return f"{sentence} {nested}: {answer(summary['points'][nested])}" if nested else sentence


def _own(kind: str, function: str, summary: dict) -> str:
    has_results = kind in KINDS and "results" in KINDS[kind].parts
    return getattr(template, function)(KINDS[kind].load("results"), summary) if has_results else ""
