"""A claim: a sentence that somebody asserted, how it is judged, what was measured, and the verdict."""

import dataclasses
from collections.abc import Callable

from analysis.tables import NotMeasured
from lab.run_directory import RunDirectory

Verdict = tuple[dict[str, float], bool]  # the numbers that were measured, and whether the claim holds


@dataclasses.dataclass(frozen=True)
class Claim:
    """`criterion` says what the source's words were taken to mean; `judge` measures it in a sweep's tables.

    The verdict is None where the tables do not have what it takes (a smaller grid, say).
    """

    statement: str
    source: str
    criterion: str
    judge: Callable[[RunDirectory], Verdict]

    def evaluate(self, directory: RunDirectory) -> dict:
        try:
            measured, holds = self.judge(directory)
        except NotMeasured:
            measured, holds = {}, None
        return {
            "statement": self.statement,
            "source": self.source,
            "criterion": self.criterion,
            "measured": {key: float(value) for key, value in measured.items()},
            "holds": None if holds is None else bool(holds),
        }
