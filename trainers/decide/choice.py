"""The open claims of a run or sweep, and those to which the next look adds seeds."""

import dataclasses
from collections.abc import Sequence

from analysis.figures.claim import Claim

LEAST = 2  # seeds that a look adds


@dataclasses.dataclass(frozen=True)
class Open:
    """A claim without a verdict so far.

    Attributes:
        verdict: the last one.
        lacking: the further seeds that would decide it; None: no number would.
        seeds_in: those of all its numbers (`Claim.seeds_in`) when it was judged.
        looks, last_seed: how often it was judged on further seeds, and the last of these.
    """

    claim: Claim
    verdict: dict
    lacking: int | None
    seeds_in: int = 0
    looks: int = 0
    last_seed: int | None = None


def next_look(left: Sequence[Open]) -> tuple[list[Open], int]:
    """Return the claims that the next look judges, and how many seeds it adds to each.

    They are those that lack the fewest seeds; a claim that lacks more waits until these are decided. A look at most
    doubles the seeds that any of them has. All of this depends on what was measured alone, and not on any budget, so a
    command that is given again takes the same looks.
    """
    decidable = [(max(each.lacking, LEAST), each) for each in left if each.lacking is not None]
    fewest = min((lacking for lacking, _ in decidable), default=0)
    chosen = [each for lacking, each in decidable if lacking == fewest]
    return chosen, min([fewest, *(max(each.verdict["seeds"], LEAST) for each in chosen)])
