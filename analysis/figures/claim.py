"""A claim: a sentence that somebody asserted, with the criterion and the function by which it is judged.

A claim on trained models is judged only where something was learned: a figure's controls say how that is seen.
"""

import bisect
import dataclasses
import enum
import functools
import math
from collections.abc import Mapping, Sequence

from analysis.figures.cited import Cited, Reading
from analysis.figures.controls import Control, not_reached
from analysis.figures.estimates import CONFIDENCE
from analysis.figures.evidence import Condition, Judge, refuted, seed_count, value, with_more, worst
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory


class Outcome(enum.StrEnum):
    """A claim's verdict, or the reason why there is none."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    NO_DIFFERENCE = "no difference"  # clearly at the bound, nearer than a distance that would matter
    UNDECIDED = "undecided"  # errors are too large
    NOT_REACHED = "not reached"  # nothing was learned, or training was still under way
    NOT_MEASURED = "not measured"  # the tables lack what it takes


MOST_SEEDS = 10_000
OPEN = (Outcome.UNDECIDED, Outcome.NOT_REACHED)  # what further seeds may turn into a verdict


@dataclasses.dataclass(frozen=True)
class Claim:
    """A sentence of a source, with what its words were taken to mean and a function that measures this.

    The claim does not hold if one condition is clearly not met, by intervals that are as wide as the number of
    conditions asks for (`analysis.figures.evidence.refuted`), and holds if all are clearly met. Otherwise there is no
    verdict: because errors are too large for one, or because the tables lack what the conditions need (a smaller grid,
    say, or a point that failed), or because a control is not met. A refutation, like "no difference",
    may need further controls.

    With a `delta` there is a third verdict, "no difference": the claim neither holds nor is refuted, and the intervals
    of all numbers that leave it open lie within `delta` of their bound. (An interval of 95% makes two one-sided
    tests of 2.5%: D. J. Schuirmann, A comparison of the two one-sided tests procedure, 1987.)
    """

    statement: str
    source: Cited | str  # a text for a user's own
    criterion: str  # what the source's words were taken to mean, as numbers and bounds
    judge: Judge
    points: str = ""  # only points whose names contain this text are needed
    other_points: str = ""  # its numbers or controls look at points with this text, too; these may fail
    controls: Sequence[Control] | None = None  # None: those of the figure; (): a claim that no training decides
    refutation_controls: Sequence[Control] = ()  # of a refutation or no difference: that more training would not help
    repeats: str = "seeds"  # what its errors are over
    delta: float | None = None  # a distance from the bounds that would matter to a user
    delta_set: str = ""  # date and reason, where delta was set after the run of the kept tables
    changed: str = ""  # date and change, where the criterion was another before the run of the kept tables

    def evaluate(
        self,
        directory: RunDirectory,
        failed: Mapping[str, str],
        controls: Sequence[Control] = (),
        confidence: float = CONFIDENCE,
    ) -> dict:
        """Judge the claim by the tables of a directory, and return the verdict as `summary.json` has it.

        Args:
            failed: {point: why} of the points that are not in the tables.
            controls: those of the figure, for a claim without controls of its own.
            confidence: of the intervals by which the conditions and the controls are met or not.
        """
        return self._with(controls)._evaluated(directory, failed, confidence)

    def _with(self, controls: Sequence[Control]) -> "Claim":
        """Return the claim with the controls of its figure, where it has none of its own."""
        return dataclasses.replace(self, controls=controls) if self.controls is None else self

    def _evaluated(self, directory: RunDirectory, failed: Mapping[str, str], confidence: float) -> dict:
        failed = self._needed(failed)
        if failed:
            return self.unmeasured(failed)
        try:
            conditions = self.judge(directory)
        except NotMeasured as error:
            return self._verdict((), Outcome.NOT_MEASURED, str(error))
        except FileNotFoundError:
            conditions = ()
        tried = max(map(seed_count, conditions), default=0)
        learned = self._enough(conditions, directory)
        conditions = learned or conditions
        if not conditions or not all(math.isfinite(each.number.mean) for each in conditions):
            return self.unmeasured({})
        if bad := [each for each in conditions if not math.isfinite(each.number.stderr)]:
            alone = len(bad[0].number.by_seed) < 2 and not bad[0].number.exact
            why = "one seed, no verdict" if alone else f"the error of {bad[0].name} is no finite number"
            return self._verdict(conditions, Outcome.UNDECIDED, why)
        if why := not_reached(self.controls or (), directory, confidence):
            return self._verdict(conditions, Outcome.NOT_REACHED, why)
        if not learned:
            return self._verdict(conditions, Outcome.NOT_REACHED, "fewer than two seeds of a number meet its controls")
        verdict = self._judged(conditions, directory, confidence)
        return verdict | ({"seeds_tried": tried} if tried > verdict["seeds"] else {})

    def _judged(self, conditions: Sequence[Condition], directory: RunDirectory, confidence: float) -> dict:
        """Return the verdict on conditions of which the controls are met."""
        if failing := refuted(conditions, confidence):
            if why := not_reached(self.refutation_controls, directory, confidence):
                return self._verdict(conditions, Outcome.NOT_REACHED, why)
            return self._verdict(conditions, Outcome.DOES_NOT_HOLD, "", _would_hold(failing), worst(failing))
        if undecided := [each for each in conditions if not each.met_with(confidence)]:
            least = worst(undecided)
            if self._is_alike(undecided, confidence):
                if why := not_reached(self.refutation_controls, directory, confidence):
                    return self._verdict(conditions, Outcome.NOT_REACHED, why)
                why = f"{least.name} is {value(least)}, within {self.delta or 0:g} of {least.nearer:.3g}"
                return self._verdict(conditions, Outcome.NO_DIFFERENCE, why, deciding=least)
            why = f"{least.name} is {value(least)}, the bound is {least.bound}"
            return self._verdict(conditions, Outcome.UNDECIDED, why, deciding=least)
        nearest = worst(conditions)
        otherwise = f"would not hold if {nearest.name} were {nearest.beyond}; it is {value(nearest)}"
        return self._verdict(conditions, Outcome.HOLDS, "", otherwise, nearest)

    def _is_alike(self, undecided: Sequence[Condition], confidence: float) -> bool:
        return self.delta is not None and all(each.is_at_bound(self.delta, confidence) for each in undecided)

    def seeds_lacking(self, directory: RunDirectory, confidence: float, controls: Sequence[Control] = ()) -> int | None:
        """Return how many more seeds would decide an open claim, at the means and spreads of the tables there are.

        Of one seed there is no spread, so it lacks a second. None: no number up to MOST_SEEDS would, since a mean is at
        its bound, or that of a control beyond it, or something cannot be measured, or no seed has learned.

        Args:
            controls: as for `evaluate`.
        """
        claim = self._with(controls)
        try:
            numbers = [each.number for each in claim._learned(self.judge(directory), directory)]
        except (NotMeasured, FileNotFoundError):
            return None
        if any(len(each.by_seed) == 1 and not each.exact for each in numbers):
            return 1
        judge = functools.cache(self.judge)
        first, second = (
            [dataclasses.replace(each, judge=functools.cache(each.judge)) for each in group]
            for group in (claim.controls or (), self.refutation_controls)
        )

        def is_decided(more: int) -> bool:
            grown = dataclasses.replace(
                self,
                judge=with_more(judge, more),
                controls=[dataclasses.replace(each, judge=with_more(each.judge, more)) for each in first],
                refutation_controls=[dataclasses.replace(each, judge=with_more(each.judge, more)) for each in second],
            )
            return grown.evaluate(directory, {}, confidence=confidence)["outcome"] not in (*OPEN, Outcome.NOT_MEASURED)

        return bisect.bisect_left(range(MOST_SEEDS), True, key=is_decided) if is_decided(MOST_SEEDS) else None

    def seeds_in(self, directory: RunDirectory, controls: Sequence[Control] = ()) -> int:
        """Return the seeds of all its numbers and of those of its controls, counted for each; 0 without its tables."""
        judges = (self.judge, *(control.judge for control in self._with(controls).controls or ()))
        try:
            return sum(seed_count(each) for judge in judges for each in judge(directory))
        except (NotMeasured, FileNotFoundError):
            return 0

    def changes(self, outcome: str) -> str:
        """Return what was changed after the run of the kept tables, in words; "" for nothing.

        Args:
            outcome: the verdict, as a `delta` has a part in "no difference" alone.
        """
        changed = [self.changed, *(each.changed for each in (*(self.controls or ()), *self.refutation_controls))]
        changed += [self.delta_set] if outcome == Outcome.NO_DIFFERENCE else []
        return "; ".join(dict.fromkeys(filter(None, changed)))

    @property
    def points_with_seeds(self) -> list[str]:
        """Return the texts of which the names of points contain one whose seeds are in its numbers."""
        return [self.points, self.other_points] if self.other_points else [self.points]

    def _learned(self, conditions: Sequence[Condition], directory: RunDirectory) -> Sequence[Condition]:
        """Return the conditions on the seeds alone that learned, by the controls that ask each seed."""
        for control in self.controls or ():
            if control.per_seed:
                seeds = control.seeds(directory)
                conditions = [each if each.number.exact else each.on_seeds(seeds) for each in conditions]
        return conditions

    def _enough(self, conditions: Sequence[Condition], directory: RunDirectory) -> Sequence[Condition]:
        """Return the conditions on the seeds that learned; () where that is unknown, or a number has one at most."""
        try:
            learned = self._learned(conditions, directory)
        except (NotMeasured, FileNotFoundError):
            return ()
        return () if any(not each.number.exact and seed_count(each) < 2 for each in learned) else learned

    def unmeasured(self, failed: Mapping[str, str]) -> dict:
        """Return the claim without a verdict but with the reason.

        Args:
            failed: {point: why} of the points that are not in the tables.
        """
        why = "; ".join(dict.fromkeys(self._needed(failed).values())) or "what it takes is not among what was run"
        return self._verdict((), Outcome.NOT_MEASURED, why)

    def _needed(self, failed: Mapping[str, str]) -> dict[str, str]:
        return {name: why for name, why in failed.items() if self.points in name}

    def _where(self) -> dict:
        """Return the parts of the source's place; of a user's text none."""
        cited = self.source if isinstance(self.source, Cited) else None
        return {
            "work": str(cited.work) if cited else "",
            "place": cited.place if cited else "",
            "reading": str(cited.reading) if cited else "",
            "is_stronger": cited is not None and cited.reading is Reading.LAB,
        }

    def _verdict(
        self,
        conditions: Sequence[Condition],
        outcome: Outcome,
        why: str,
        otherwise: str = "",
        deciding: Condition | None = None,
    ) -> dict:
        return {
            "statement": self.statement,
            "source": str(self.source),
            **self._where(),
            "criterion": self.criterion,
            "changed": self.changes(outcome),
            "measured": {each.name: float(each.number.mean) for each in conditions},
            "errors": {each.name: each.number.stderr for each in conditions if each.number.stderr > 0},
            "intervals": {each.name: half for each in conditions if (half := each.number.half_width()) > 0},
            "holds": {Outcome.HOLDS: True, Outcome.DOES_NOT_HOLD: False}.get(outcome),
            "outcome": str(outcome),
            "why": why,
            "otherwise": otherwise,
            "deciding": deciding.name if deciding else "",  # the number among `measured` that is nearest to its bound
            "seeds": max((len(each.number.by_seed) for each in conditions), default=0),
            "repeats": self.repeats,
        }


def _would_hold(failing: Sequence[Condition]) -> str:
    least = worst(failing)
    others = f", and {len(failing) - 1} more like it" if len(failing) > 1 else ""
    return f"would hold if {least.name} were {least.bound}; it is {value(least)}{others}"
