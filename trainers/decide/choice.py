"""The open claims of a run or sweep, and those among them that a budget of time can decide."""

import dataclasses
from collections.abc import Callable, Sequence

from analysis.figures.claim import Claim
from lab.config.points import Point
from lab.errors import ConfigError
from lab.runs import estimate


@dataclasses.dataclass(frozen=True)
class Open:
    """A claim without a verdict so far.

    Attributes:
        needed: the seeds in all that would decide it; None: no number would.
        seeds, look: those that it was judged on, and at which look.
    """

    claim: Claim
    verdict: dict
    needed: int | None
    seeds: int
    look: int


def affordable(left: Sequence[Open], runs_for: Callable[[Sequence[Open]], Point], seconds: float) -> list[Open]:
    """Return the claims that can be decided together within some time, as far as their errors now say.

    Those that take least come first, so a claim that needs hundreds of seeds does not keep the others from theirs.

    Args:
        runs_for: returns the runs with all the seeds that some claims need.
        seconds: the time.
    """
    alone = [(duration(runs_for([each])), each) for each in left if each.needed is not None]
    chosen: list[Open] = []
    for seconds_alone, each in sorted(alone, key=lambda pair: pair[0]):
        if seconds_alone <= seconds and duration(runs_for([*chosen, each])) <= seconds:
            chosen.append(each)
    return chosen


def duration(runs: Point) -> float:
    """Return the seconds that runs are expected to take here; infinity where they do not fit this machine."""
    try:
        return estimate.expected(runs)[0]
    except ConfigError:
        return float("inf")
