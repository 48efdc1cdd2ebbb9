"""Decides the open claims of a finished run or sweep by further seeds, up to a budget of minutes.

Open are the undecided ones, and those that are not reached because a control's interval is too wide while its mean is
on the right side of its bound. Each look adds seeds to the points of those claims that the rest of the budget can
decide (`choice.affordable`), and judges all claims on whose points they are again on all seeds, controls too: at look k
with intervals of the confidence 1 - .05 / 2^k. These chances of a wrong verdict add up to at most .05, however many
looks there are and whatever number of seeds each of them adds (the union bound; alpha spending of Lan and DeMets 1983).
Further seeds are runs of their own with directories of their own. So the same command goes on where it was stopped.
"""

import time
from collections.abc import Sequence

from analysis import figures
from analysis.figures.claim import OPEN, Claim, Outcome
from analysis.figures.estimates import CONFIDENCE
from analysis.tables.further import DECIDED, Further
from lab.config.points import Point
from lab.runs import console, estimate
from lab.runs.directory import RunDirectory
from trainers.decide.choice import Open, affordable, duration
from trainers.decide.seeds import further, keep, next_seed, points_with
from trainers.launch import run_only

LEAST = 2  # seeds that a look adds


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
        """Add seeds as long as the rest of the budget can decide a claim; print and keep what comes out."""
        left = self._judged(self.claims, look=0)
        if not left:
            return console.say("no claim is undecided, or would be decided by further seeds")
        for each in left:
            console.say(f"{each.verdict['outcome']}: {each.claim.statement} ({self._plan(each)})")
        look = 0
        while chosen := affordable(left, self._runs_for, self.budget - (time.monotonic() - self.begun)):
            extra = self._next(chosen)
            look += 1
            seeds = f"{len(extra.runs)} runs of {self._count(extra)} further seeds"
            console.say(f"--- look {look}: {seeds}: about {estimate.duration(duration(extra))}")
            run_only(extra)
            self.added.append(extra)
            keep(self.directory, self.added)
            self.seeds += self._count(extra)
            grown = [each for each in left if self._all_of(each, extra)]
            others = [each for each in left if each not in grown]
            left = self._judged([each.claim for each in grown], look) + others
        self._keep(left)

    def _judged(self, claims: Sequence[Claim], look: int) -> list[Open]:
        """Return the claims that are open at this look; those that a look has decided are printed and kept."""
        left, tables = [], Further(self.directory.path, self._last_seed) if look else self.directory
        for claim in claims:
            verdict = claim.evaluate(tables, {}, self.controls, _confidence(look))
            if verdict["outcome"] in OPEN:
                needed = claim.seeds_needed(tables, _confidence(look + 1), self.controls)
                if look or needed is not None or verdict["outcome"] == Outcome.UNDECIDED:
                    left.append(Open(claim, verdict, needed, self.seeds, look))
            elif look:
                self.rows.append(self._row(verdict, self.seeds, look))
                console.say(f"{verdict['outcome']}, with {self.seeds} seeds: {claim.statement}")
        return left

    def _runs_for(self, claims: Sequence[Open]) -> Point:
        """Return the runs with all the seeds that some claims need."""
        return self._with_points(claims, max(each.needed or 0 for each in claims))

    def _next(self, claims: Sequence[Open]) -> Point:
        """Return the runs of the next look, with the seeds that the first claim needs, at most twice as many in all."""
        needed = min(each.needed or 0 for each in claims)
        return self._with_points(claims, min(needed, 2 * max(self.seeds, LEAST)))

    def _with_points(self, claims: Sequence[Open], target: int) -> Point:
        count = max(target - self.seeds, LEAST)
        extra = further(self.root.words, self.root.settings.seed + self.seeds, count)
        return points_with(extra, [each.claim.points for each in claims])

    def _all_of(self, each: Open, extra: Point) -> bool:
        """Return whether a look's runs are of all points of a claim."""
        names = {run.name for run in extra.points}
        return {run.name for run in points_with(self.root, [each.claim.points]).points} <= names

    @property
    def _last_seed(self) -> int:
        return self.root.settings.seed + self.seeds - 1

    def _count(self, extra: Point) -> int:
        return next_seed(extra) - self.root.settings.seed - self.seeds

    def _plan(self, each: Open) -> str:
        if each.needed is None:
            return f"{each.verdict['why']}; no number of seeds would decide it, as its mean and errors are"
        seconds = duration(self._runs_for([each]))
        time_left = f", in {estimate.duration(seconds)}" if seconds < float("inf") else ", too many for this machine"
        return f"{each.verdict['why']}; about {each.needed} seeds would decide it{time_left}, there are {each.seeds}"

    def _row(self, verdict: dict, seeds: int, look: int) -> dict:
        return {
            "claim": verdict["statement"],
            "outcome": verdict["outcome"],
            "seeds": seeds,
            "last_seed": self.root.settings.seed + seeds - 1,
            "looks": look,
            "confidence": _confidence(look),
            "why": verdict["why"] or verdict["otherwise"],
        }

    def _keep(self, left: Sequence[Open]) -> None:
        """Print what is still open, with what it would take, and write the outcomes of all that were looked at."""
        if any(each.needed is not None for each in left):
            budget = f"the budget of {self.budget / 60:g} min"
            console.say(f"no open claim can be decided within {budget}, as errors are now")
        looked_at = [each for each in left if each.look]
        for each in looked_at:
            still = f"still {each.verdict['outcome']}, with {each.seeds} seeds"
            console.say(f"{still}: {each.claim.statement} ({self._plan(each)})")
        if rows := self.rows + [self._row(each.verdict, each.seeds, each.look) for each in looked_at]:
            self.directory.write_table(DECIDED, rows)
            console.say(f"table:   {self.directory.path / DECIDED}.csv")


def _confidence(look: int) -> float:
    """Return the confidence of the intervals of a look; look 0 is the verdict that the run itself gave."""
    return CONFIDENCE if look == 0 else 1 - (1 - CONFIDENCE) / 2**look
