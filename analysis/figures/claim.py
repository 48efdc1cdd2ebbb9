"""A claim: a sentence that somebody asserted, with the criterion and the function by which it is judged."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence

from analysis.figures.evidence import Condition
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Claim:
    """A sentence of a source, with what its words were taken to mean and a function that measures this.

    The claim does not hold if one condition is clearly not met, and holds if all are clearly met. Otherwise there is no
    verdict: because errors are too large for one, or because the tables lack what the conditions need (a smaller grid,
    say, or a point that failed).
    """

    statement: str
    source: str
    criterion: str  # what the source's words were taken to mean, as numbers and bounds
    judge: Callable[[RunDirectory], Sequence[Condition]]  # a run's or a sweep's directory -> all must be met
    points: str = ""  # only points whose names contain this text are needed

    def evaluate(self, directory: RunDirectory, failed: Mapping[str, str]) -> dict:
        """Judge the claim by the tables of a directory, and return the verdict as `summary.json` has it.

        Args:
            failed: {point: why} of the points that are not in the tables.
        """
        failed = self._needed(failed)
        if failed:
            return self.unmeasured(failed)
        try:
            conditions = self.judge(directory)
        except NotMeasured as error:
            return self._verdict((), None, f"not measured: {error}")
        except FileNotFoundError:
            conditions = ()
        if not conditions or not all(math.isfinite(each.number.mean) for each in conditions):
            return self.unmeasured({})
        if any(math.isnan(each.number.stderr) for each in conditions):
            return self._verdict(conditions, None, "one seed, no verdict")
        met = [each.met for each in conditions]
        if False in met:
            return self._verdict(conditions, False, "", _would_hold(conditions))
        if None in met:
            undecided = min((each for each in conditions if each.met is None), key=lambda each: each.margin)
            why = f"not decided: {undecided.name} is {_value(undecided)}, the bound is {undecided.bound}"
            return self._verdict(conditions, None, why)
        nearest = min(conditions, key=lambda each: each.margin)
        return self._verdict(conditions, True, "", f"would not hold if {_unless(nearest)}")

    def unmeasured(self, failed: Mapping[str, str]) -> dict:
        """Return the claim without a verdict but with the reason.

        Args:
            failed: {point: why} of the points that are not in the tables.
        """
        why = "; ".join(dict.fromkeys(self._needed(failed).values())) or "what it takes is not among what was run"
        return self._verdict((), None, why)

    def _needed(self, failed: Mapping[str, str]) -> dict[str, str]:
        return {name: why for name, why in failed.items() if self.points in name}

    def _verdict(self, conditions: Sequence[Condition], holds: bool | None, why: str, otherwise: str = "") -> dict:
        return {
            "statement": self.statement,
            "source": self.source,
            "criterion": self.criterion,
            "measured": {each.name: float(each.number.mean) for each in conditions},
            "errors": {each.name: each.number.stderr for each in conditions if each.number.stderr > 0},
            "intervals": {each.name: half for each in conditions if (half := each.number.half_width()) > 0},
            "holds": holds,
            "why": why,
            "otherwise": otherwise,
        }


def _would_hold(conditions: Sequence[Condition]) -> str:
    failing = [each for each in conditions if each.met is False]
    worst = min(failing, key=lambda each: each.margin)
    others = f", and {len(failing) - 1} more like it" if len(failing) > 1 else ""
    return f"would hold if {worst.name} were {worst.bound}; it is {_value(worst)}{others}"


def _unless(condition: Condition) -> str:
    return f"{condition.name} were {condition.beyond}; it is {_value(condition)}"


def _value(condition: Condition) -> str:
    error = f" ± {condition.number.stderr:.2g}" if condition.number.stderr > 0 else ""
    return f"{condition.number.mean:.4g}{error}"
