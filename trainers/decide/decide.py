"""Decides the open claims of a finished run or sweep by further seeds, up to a budget of minutes.

Open are the undecided ones, and those that are not reached because a control's interval is too wide while its mean is
on the right side of its bound. Each look adds seeds to the points of the claims that lack the fewest
(`choice.next_look`), and judges the claims all of whose points got them again on all their seeds, controls too: at a
claim's look k with intervals of the confidence 1 - .05 / 2^k. These chances of a wrong verdict add up to at most .05,
however many looks there are and whatever number of seeds each of them adds (the union bound; alpha spending of Lan and
DeMets 1983). Further seeds are runs of their own with directories of their own. So the same command goes on where it
was stopped.
"""

import time
from collections.abc import Sequence

from analysis import figures
from analysis.figures.claim import OPEN, Claim, Outcome
from analysis.figures.estimates import CONFIDENCE
from analysis.tables.further import DECIDED, Further
from lab.config.points import Point
from lab.errors import ConfigError
from lab.runs import console, estimate
from lab.runs.directory import RunDirectory
from trainers.decide.choice import Open, next_look
from trainers.decide.seeds import further, keep, next_seed, points_with
from trainers.launch import run_only


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
        left = self._open()
        if not left:
            return console.say("no claim is undecided, or would be decided by further seeds")
        for each in left:
            console.say(f"{each.verdict['outcome']}: {each.claim.statement} ({self._plan(each)})")
        while (look := next_look(left))[0]:
            extra = self._runs(*look)
            seconds = estimate.expected(extra)[0]
            here = f"{len(extra.runs)} runs of {self._count(extra)} further seeds: about {estimate.duration(seconds)}"
            if time.monotonic() - self.begun + seconds > self.budget:
                console.say(f"not run, as the budget of {self.budget / 60:g} min would be exceeded: {here}")
                break
            self.added.append(extra)
            console.say(f"--- look {len(self.added)}: {here}")
            run_only(extra)
            keep(self.directory, self.added)
            self.seeds += self._count(extra)
            left = [again for each in left if (again := self._again(each, extra))]
            self._write(left)
        self._say(left)

    def _open(self) -> list[Open]:
        """Return the claims that the run's own seeds leave open."""
        left = []
        for claim in self.claims:
            verdict = claim.evaluate(self.directory, {}, self.controls)
            if verdict["outcome"] in OPEN:
                needed = claim.seeds_needed(self.directory, _confidence(1), self.controls)
                if needed is not None or verdict["outcome"] == Outcome.UNDECIDED:
                    left.append(Open(claim, verdict, needed))
        return left

    def _again(self, each: Open, extra: Point) -> Open | None:
        """Return a claim after a look: as it is if not all of its points were in it, None if the look has decided it.

        Seeds that change none of what decides it, or after which it cannot be measured, are not added again.
        """
        if not self._covers(extra, each.claim):
            return each
        claim, tables, looks = each.claim, Further(self.directory.path, self._last_seed), each.looks + 1
        verdict = claim.evaluate(tables, {}, self.controls, _confidence(looks))
        if verdict["holds"] is not None:
            self.rows.append(self._row(verdict, looks))
            return console.say(f"{verdict['outcome']}, with {verdict['seeds']} seeds: {claim.statement}")
        helps = verdict["outcome"] in OPEN and verdict["seeds"] > each.seeds
        needed = claim.seeds_needed(tables, _confidence(looks + 1), self.controls) if helps else None
        return Open(claim, verdict, needed, looks, self._last_seed)

    def _runs(self, claims: Sequence[Open], count: int) -> Point:
        """Return the runs of so many further seeds for the points of some claims."""
        extra = further(self.root.words, self.root.settings.seed + self.seeds, count)
        return points_with(extra, [name for each in claims for name in each.claim.points_with_seeds])

    def _covers(self, extra: Point, claim: Claim) -> bool:
        """Return whether a look's runs are of all points that a claim needs."""
        names = {run.name for run in extra.points}
        return {run.name for run in points_with(self.root, claim.points_with_seeds).points} <= names

    @property
    def _last_seed(self) -> int:
        return self.root.settings.seed + self.seeds - 1

    def _count(self, extra: Point) -> int:
        return next_seed(extra) - self.root.settings.seed - self.seeds

    def _plan(self, each: Open) -> str:
        if each.needed is None:
            return f"{each.verdict['why']}; no number of seeds would decide it, as its mean and errors are"
        needed = f"about {each.needed} seeds would decide it{self._time(each)}, there are {each.seeds}"
        return f"{each.verdict['why']}; {needed}"

    def _time(self, each: Open) -> str:
        """Return ", in 5 minutes": what the seeds take that a claim lacks; nothing where they do not fit one run."""
        try:
            return f", in {estimate.duration(estimate.expected(self._runs([each], each.lacking))[0])}"
        except ConfigError:
            return ""

    def _row(self, verdict: dict, looks: int, last_seed: int | None = None) -> dict:
        return {
            "claim": verdict["statement"],
            "outcome": verdict["outcome"],
            "seeds": verdict["seeds"],
            "last_seed": self._last_seed if last_seed is None else last_seed,
            "looks": looks,
            "confidence": _confidence(looks),
            "why": verdict["why"] or verdict["otherwise"],
        }

    def _write(self, left: Sequence[Open]) -> None:
        """Write the outcomes of all claims that were looked at."""
        open_rows = [self._row(each.verdict, each.looks, each.last_seed) for each in left if each.looks]
        self.directory.write_table(DECIDED, self.rows + open_rows)

    def _say(self, left: Sequence[Open]) -> None:
        """Print what is still open after looks, and where the outcomes are; without a look there is nothing new."""
        if not self.added:
            return
        for each in left:
            still = f"still {each.verdict['outcome']}, with {each.seeds} seeds"
            console.say(f"{still}: {each.claim.statement} ({self._plan(each)})")
        console.say(f"table:   {self.directory.path / DECIDED}.csv")


def _confidence(look: int) -> float:
    """Return the confidence of the intervals of a look; look 0 is the verdict that the run itself gave."""
    return CONFIDENCE if look == 0 else 1 - (1 - CONFIDENCE) / 2**look
