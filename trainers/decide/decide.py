"""Decides the open claims of a finished run or sweep by further seeds, up to a budget of minutes.

Open are the undecided ones, and those that are not reached because a control's interval is too wide while its mean is
on the right side of its bound. Each look adds seeds to the points of the claims that are still open, and judges these
again on all seeds, controls too: at look k with intervals of the confidence 1 - .05 / 2^k. These chances of a wrong
verdict add up to at most .05, however many looks there are and whatever number of seeds each of them adds (the union
bound; alpha spending of Lan and DeMets 1983). Further seeds are runs of their own with directories of their own. So the
same command goes on where it was stopped.
"""

import dataclasses
import time
from collections.abc import Sequence

from analysis import figures
from analysis.figures.claim import OPEN, Claim, Outcome
from analysis.figures.estimates import CONFIDENCE
from analysis.tables.further import DECIDED, Further
from lab.config.points import Point
from lab.runs import console, estimate
from lab.runs.directory import RunDirectory
from trainers.decide.seeds import further, keep, next_seed, points_with
from trainers.launch import run_only

LEAST = 2  # seeds that a look adds


@dataclasses.dataclass(frozen=True)
class Open:
    """A claim without a verdict so far, and how many seeds would decide it; None: no number would."""

    claim: Claim
    verdict: dict
    needed: int | None


class Decision:
    """The looks at a run's or sweep's open claims.

    Args:
        root: its command line.
        directory: that of the run or sweep, or a folder with its kept tables.
        figure: the figure whose claims are judged.
        minutes: the budget; 0: nothing is run.
    """

    def __init__(self, root: Point, directory: RunDirectory, figure: str, minutes: float):
        self.root, self.directory = root, directory
        self.budget, self.begun = 60 * minutes, time.monotonic()
        self.claims: Sequence[Claim] = getattr(figures.load(figure), "CLAIMS", ())
        self.controls = getattr(figures.load(figure), "CONTROLS", ())
        self.seeds = next_seed(root) - root.settings.seed
        self.added = list[Point]()
        self.rows: list[dict] = []

    def run(self) -> None:
        """Add seeds until all claims are decided, or the next look would exceed the budget; print and keep the rest."""
        left = self._judged(self.claims, look=0)
        if not left:
            return console.say("no claim is undecided, or would be decided by further seeds")
        for each in left:
            console.say(f"{each.verdict['outcome']}: {each.claim.statement} ({self._plan(each)})")
        look = 0
        while decidable := [each for each in left if each.needed is not None]:
            extra = self._next(decidable)
            seconds = estimate.expected(extra)[0]
            here = f"{len(extra.runs)} runs of {self._count(extra)} further seeds: about {estimate.duration(seconds)}"
            if time.monotonic() - self.begun + seconds > self.budget:
                console.say(f"not run, as the budget of {self.budget / 60:g} min would be exceeded: {here}")
                break
            look += 1
            console.say(f"--- look {look}: {here}")
            run_only(extra)
            self.added.append(extra)
            keep(self.directory, self.added)
            self.seeds += self._count(extra)
            left = self._judged([each.claim for each in left], look)
        self._keep(left, look)

    def _judged(self, claims: Sequence[Claim], look: int) -> list[Open]:
        """Return the claims that are open at this look; those that a look has decided are printed and kept."""
        left, tables = [], Further(self.directory.path, self._last_seed) if look else self.directory
        for claim in claims:
            verdict = claim.evaluate(tables, {}, self.controls, _confidence(look))
            if verdict["outcome"] in OPEN:
                needed = claim.seeds_needed(tables, _confidence(look + 1), self.controls)
                if look or needed is not None or verdict["outcome"] == Outcome.UNDECIDED:
                    left.append(Open(claim, verdict, needed))
            elif look:
                self.rows.append(self._row(verdict, look))
                console.say(f"{verdict['outcome']}, with {self.seeds} seeds: {claim.statement}")
        return left

    def _next(self, left: Sequence[Open]) -> Point:
        """Return the runs of the next look, with the seeds that the first claim needs, at most twice as many in all."""
        needed = min(each.needed for each in left if each.needed is not None)
        target = min(max(needed, self.seeds + LEAST), 2 * max(self.seeds, LEAST))
        extra = further(self.root.words, self.root.settings.seed + self.seeds, target - self.seeds)
        return points_with(extra, [each.claim.points for each in left])

    @property
    def _last_seed(self) -> int:
        return self.root.settings.seed + self.seeds - 1

    def _count(self, extra: Point) -> int:
        return next_seed(extra) - self.root.settings.seed - self.seeds

    def _plan(self, each: Open) -> str:
        if each.needed is None:
            return f"{each.verdict['why']}; no number of seeds would decide it, as its mean and errors are"
        return f"{each.verdict['why']}; about {each.needed} seeds would decide it, there are {self.seeds}"

    def _row(self, verdict: dict, look: int) -> dict:
        return {
            "claim": verdict["statement"],
            "outcome": verdict["outcome"],
            "seeds": self.seeds,
            "last_seed": self._last_seed,
            "looks": look,
            "confidence": _confidence(look),
            "why": verdict["why"] or verdict["otherwise"],
        }

    def _keep(self, left: Sequence[Open], look: int) -> None:
        """Print what is still open after a look, and write all outcomes; without a look there is nothing new."""
        if not look:
            return
        for each in left:
            still = f"still {each.verdict['outcome']}, with {self.seeds} seeds"
            console.say(f"{still}: {each.claim.statement} ({self._plan(each)})")
        self.directory.write_table(DECIDED, self.rows + [self._row(each.verdict, look) for each in left])
        console.say(f"table:   {self.directory.path / DECIDED}.csv")


def _confidence(look: int) -> float:
    """Return the confidence of the intervals of a look; look 0 is the verdict that the run itself gave."""
    return CONFIDENCE if look == 0 else 1 - (1 - CONFIDENCE) / 2**look
