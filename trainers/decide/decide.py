"""Decides the open claims of a finished run or sweep by further seeds, up to a budget of minutes.

Open are the undecided ones, and those that are not reached because a control's interval is too wide while its mean is
on the right side of its bound. Each look adds seeds to the points of the claims that lack the fewest, and judges these
(`choice.next_look`) on all their seeds, controls too: at a claim's look k with intervals of the confidence
1 - .05 / 2^k. So all looks at a claim together give a wrong verdict in at most .05, beside the .05 of the run's own one
(the union bound; alpha spending of Lan and DeMets 1983; that the next number of seeds follows from what was measured
has been simulated). Further seeds are runs of their own with directories of their own, and the looks follow from what
was measured alone. Looks that a folder keeps count: the next one is taken after them, on their seeds and new ones.
"""

import dataclasses
import time
from collections.abc import Sequence

from analysis import figures
from analysis.figures.claim import OPEN, Outcome
from analysis.figures.estimates import CONFIDENCE
from analysis.tables import extra_seeds
from analysis.tables.extra_seeds import DECIDED, Further
from lab.config.experiments import duration
from lab.config.points import Point
from lab.errors import ConfigError
from lab.runs import console, estimate
from lab.runs.directory import RunDirectory
from trainers.decide.seeds import LEAST, Kept, Open, further, keep, next_look, next_seed, points_with
from trainers.launch import run_only


class Decision:
    """The looks at a run's or sweep's open claims.

    Args:
        root: its command line.
        directory: the directory of the run or sweep, or a folder with its kept tables.
        figure: the figure whose claims are judged.
        minutes: the budget; 0: nothing is run.
    """

    def __init__(self, root: Point, directory: RunDirectory, figure: str, minutes: float):
        self.root, self.directory = root, directory
        self.budget = 60 * minutes
        self.claims, self.controls = figures.claims_of(figure)
        self.earlier = extra_seeds.looks(directory)
        last = max((int(row["last_seed"]) for row in self.earlier.values()), default=next_seed(root) - 1)
        self.seeds = last + 1 - root.settings.seed
        self.kept = Kept.of(directory, last) if self.earlier else Kept({}, ())
        self.added = list[Point]()
        self.rows: list[dict] = []

    def run(self) -> None:
        """Add seeds until all claims are decided, or the next look would exceed the budget; print and keep the rest."""
        left = self._open()
        if not left:
            return console.say("no claim is undecided, or would be decided by further seeds")
        for each in left:
            console.say(f"{each.verdict['outcome']}: {each.claim.statement} ({self._plan(each)})")
        begun = time.monotonic()
        while (look := next_look(left))[0]:
            extra = self._runs(*look)
            seconds = estimate.expected(extra)
            here = f"{len(extra.runs)} runs of {self._count(extra)} further seeds: {_about(seconds)}"
            # 0: what is done is looked at again; without a run that shows how long it takes, one look does.
            if seconds != 0 and time.monotonic() - begun + (seconds or 0) >= self.budget:
                console.say(f"not run, as the budget of {self.budget / 60:g} min would be exceeded: {here}")
                break
            self.added.append(extra)
            console.say(f"--- look {len(self.added)}: {here}")
            run_only(extra)
            keep(self.directory, self.added, self.kept)
            self.seeds += self._count(extra)
            left = [again for each in left if (again := self._again(each, each in look[0]))]
            self._write(left)
        self._say(left)

    def _open(self) -> list[Open]:
        """Return the claims that the run's own seeds leave open, and earlier looks, if any."""
        left = []
        for claim in self.claims:
            verdict, looks, last = claim.evaluate(self.directory, {}, self.controls), 0, None
            if verdict["outcome"] in OPEN and (row := self.earlier.get(claim.statement)):
                looks, last = int(row["looks"]), int(row["last_seed"])
                tables = Further(self.directory.path, last)
                verdict = claim.evaluate(tables, {}, self.controls, _confidence(looks))
                if verdict["outcome"] not in OPEN:
                    self.rows.append(self._row(verdict, looks, last))
            if verdict["outcome"] in OPEN:
                tables = Further(self.directory.path, self._last_seed) if self.earlier else self.directory
                lacking = claim.seeds_lacking(tables, _confidence(looks + 1), self.controls)
                if lacking is not None or verdict["outcome"] == Outcome.UNDECIDED:
                    seeds = claim.seeds_in(tables, self.controls)
                    left.append(Open(claim, verdict, lacking, seeds, looks, last))
        return left

    def _again(self, each: Open, is_judged: bool) -> Open | None:
        """Return a claim after a look: None if that has decided it.

        A claim that waits may have got seeds, too, and so lack fewer. One whose numbers got none is not judged again.
        """
        claim, tables, looks = each.claim, Further(self.directory.path, self._last_seed), each.looks + is_judged
        seeds = claim.seeds_in(tables, self.controls)
        can_change = each.lacking is not None and seeds > each.seeds_in
        lacking = claim.seeds_lacking(tables, _confidence(looks + 1), self.controls) if can_change else None
        if not is_judged:
            return dataclasses.replace(each, lacking=lacking) if can_change else each
        verdict = claim.evaluate(tables, {}, self.controls, _confidence(looks))
        if verdict["outcome"] not in OPEN:
            self.rows.append(self._row(verdict, looks))
            return console.say(f"{verdict['outcome']}, with {verdict['seeds']} seeds: {claim.statement}")
        return Open(claim, verdict, lacking, seeds, looks, self._last_seed)

    def _runs(self, claims: Sequence[Open], count: int) -> Point:
        """Return the runs of so many further seeds for the points of some claims."""
        extra = further(self.root.words, self.root.settings.seed + self.seeds, count)
        return points_with(extra, [name for each in claims for name in each.claim.points_with_seeds])

    @property
    def _last_seed(self) -> int:
        return self.root.settings.seed + self.seeds - 1

    def _count(self, extra: Point) -> int:
        return next_seed(extra) - self.root.settings.seed - self.seeds

    def _plan(self, each: Open) -> str:
        if each.lacking is None:
            return f"{each.verdict['why']}; further seeds would not decide it, as its means and errors are"
        more = f"about {each.lacking} more seeds would decide it{self._time(each)}"
        return f"{each.verdict['why']}; {more}, there are {each.verdict['seeds']}"

    def _time(self, each: Open) -> str:
        """Return ", in 5 minutes": what the seeds take that a claim lacks; nothing where they do not fit one run."""
        try:
            seconds = estimate.expected(self._runs([each], max(each.lacking or 0, LEAST)))
        except ConfigError:
            return ""
        return f", in {_about(seconds)}" if seconds else ""

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
            still = f"still {each.verdict['outcome']}, with {each.verdict['seeds']} seeds"
            console.say(f"{still}: {each.claim.statement} ({self._plan(each)})")
        console.say(f"table:   {self.directory.path / DECIDED}.csv")


def _about(seconds: float | None) -> str:
    return "nobody knows how long" if seconds is None else f"about {duration(seconds)}"


def _confidence(look: int) -> float:
    """Return the confidence of the intervals of a look; look 0 is the verdict that the run itself gave."""
    return CONFIDENCE if look == 0 else 1 - (1 - CONFIDENCE) / 2**look
