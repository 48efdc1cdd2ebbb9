"""The numbers in an answer, read from a summary: means with their errors, and seeds."""

import dataclasses
import math
from collections.abc import Mapping

from analysis.figures.estimates import quantile
from analysis.report.blocks import Number
from lab.config.identity import shown
from lab.config.kinds import KINDS


@dataclasses.dataclass(frozen=True)
class Measured:
    """A number, its standard error, and half the width of its 95% interval; None where these are not known."""

    mean: float
    stderr: float | None = None
    half_width: float | None = None

    def text(self, digits: int = 3) -> str:
        """Return the number with its error, or with `digits` significant digits if it has none."""
        before_the_point = len(str(int(abs(self.mean)))) if abs(self.mean) < 1e7 else 0
        return Number(self.mean, self.stderr, significant=True).text(max(digits, before_the_point))


def number(summary: Mapping, name: str) -> Measured | None:
    """Return a headline number of a run, or None if it was not measured.

    Errors are over seeds or, for a single seed, over its many episodes.
    """
    numbers = summary["numbers"]
    if not _is_known(mean := numbers.get(name)):
        return None
    stderr = numbers.get(f"{name}.stderr")
    if not _is_known(stderr):
        return Measured(mean)
    return Measured(mean, stderr, stderr * quantile(seeds(summary)))


def setting(summary: Mapping, key: str) -> str:
    """Return the value of a key of a run, or its default; "" for a kind without this key."""
    if key in summary["settings"]:
        return summary["settings"][key]
    value: object = KINDS[summary["kind"]].schema() if summary["kind"] in KINDS else None
    for name in key.split("."):
        value = getattr(value, name, None)
    return "" if value is None else shown(value)


def seeds(summary: Mapping) -> int:
    """Return the number of seeds of a run: for a sweep the largest of its points."""
    if "points" in summary:
        return max((seeds(point) for point in summary["points"].values()), default=1)
    value = setting(summary, "seeds")
    return int(value) if value.isdigit() else 1


def _is_known(value: float | None) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
