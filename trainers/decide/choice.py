"""The open claims of a run or sweep, and those to which the next look adds seeds."""

import dataclasses
from collections.abc import Sequence

from analysis.figures.claim import Claim

LEAST = 2  # seeds that a look adds


@dataclasses.dataclass(frozen=True)
class Open:
    """A claim without a verdict so far.

    Attributes:
        needed: the seeds in all that would decide it; None: no number would.
        looks, last_seed: how often it was judged on further seeds, and the last of these.
    """

    claim: Claim
    verdict: dict
    needed: int | None
    looks: int = 0
    last_seed: int | None = None

    @property
    def seeds(self) -> int:
        """Return how many it was judged on."""
        return self.verdict["seeds"]

    @property
    def lacking(self) -> int:
        """Return how many more would decide it.

        Raises:
            ValueError: no number would.
        """
        if self.needed is None:
            raise ValueError("no number of seeds would decide it")
        return max(self.needed - self.seeds, LEAST)


def next_look(left: Sequence[Open]) -> tuple[list[Open], int]:
    """Return the claims that the next look is for, and how many seeds it adds to each.

    They are those that lack the fewest seeds; a claim that lacks more waits, without seeds, until these are decided. A
    look at most doubles the seeds that the first of them has. All of this depends on what was measured alone, and not
    on any budget, so a command that is given again takes the same looks.
    """
    decidable = [each for each in left if each.needed is not None]
    if not decidable:
        return [], 0
    first = min(decidable, key=lambda each: each.lacking)
    return [each for each in decidable if each.lacking <= first.lacking], min(first.lacking, max(first.seeds, LEAST))
