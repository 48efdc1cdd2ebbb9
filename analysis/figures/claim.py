"""A claim: a sentence that somebody asserted, how it is judged, what was measured, and the verdict."""

import dataclasses
import math
from collections.abc import Callable, Mapping

from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory

Verdict = tuple[dict[str, float], bool]  # the numbers that were measured, and whether the claim holds


@dataclasses.dataclass(frozen=True)
class Claim:
    """`criterion` says what the source's words were taken to mean; `judge` measures it in the tables of a run's or a
    sweep's directory.

    The verdict is None where the tables do not have what it takes (a smaller grid, say, or a point that failed).
    """

    statement: str
    source: str
    criterion: str
    judge: Callable[[RunDirectory], Verdict]
    points: str = ""  # only points whose names contain this text are needed

    def evaluate(self, directory: RunDirectory, failed: Mapping[str, str]) -> dict:
        """The verdict as `summary.json` has it. `failed`: {point: why} of those that are not in the tables."""
        failed = self._needed(failed)
        try:
            measured, holds = self.judge(directory)
        except (NotMeasured, FileNotFoundError):
            measured, holds = {}, None
        if holds is None or failed or not all(math.isfinite(value) for value in measured.values()):
            return self.unmeasured(failed)
        return self._verdict(measured, holds, "")

    def unmeasured(self, failed: Mapping[str, str]) -> dict:
        """No verdict, and why there is none."""
        why = "; ".join(dict.fromkeys(self._needed(failed).values())) or "what it takes is not among what was run"
        return self._verdict({}, None, why)

    def _needed(self, failed: Mapping[str, str]) -> dict[str, str]:
        return {name: why for name, why in failed.items() if self.points in name}

    def _verdict(self, measured: dict[str, float], holds: bool | None, why: str) -> dict:
        return {
            "statement": self.statement,
            "source": self.source,
            "criterion": self.criterion,
            "measured": {key: float(value) for key, value in measured.items()},
            "holds": None if holds is None else bool(holds),
            "why": why,
        }
