"""The numbers in an answer, read from a summary: means with their errors, differences, and seeds."""

import dataclasses
import math
from collections.abc import Mapping

from analysis.figures.estimates import quantile
from analysis.report.blocks import Number
from lab.config.identity import shown
from lab.config.kinds import KINDS


@dataclasses.dataclass(frozen=True)
class Measured:
    """A number, its standard error, and half the width of its 95% interval; None where these are not known.

    paired: False of a difference of two numbers whose seeds were not subtracted one by one.
    """

    mean: float
    stderr: float | None = None
    half_width: float | None = None
    paired: bool = True

    def text(self, digits: int = 3) -> str:
        """Return the number with its error, or with `digits` significant digits if it has none."""
        before_the_point = len(str(int(abs(self.mean)))) if abs(self.mean) < 1e7 else 0
        return Number(self.mean, self.stderr, significant=True).text(max(digits, before_the_point))

    @property
    def size(self) -> "Measured":
        """The number without its sign."""
        return dataclasses.replace(self, mean=abs(self.mean))

    @property
    def negative(self) -> "Measured":
        """Minus the number, with its error."""
        return dataclasses.replace(self, mean=-self.mean)

    @property
    def low(self) -> float:
        """The lower end of the 95% interval; the number itself where its error is not known."""
        return self.mean - (self.half_width or 0.0)

    @property
    def high(self) -> float:
        """The upper end of the 95% interval; the number itself where its error is not known."""
        return self.mean + (self.half_width or 0.0)

    @property
    def is_noise(self) -> bool:
        """True if the number is 0, or within two standard errors of it."""
        return self.mean == 0 or (self.stderr is not None and abs(self.mean) <= 2 * self.stderr)

    @property
    def is_certain(self) -> bool:
        """False if its 95% interval, which is wide for few seeds, contains 0; True also where it is not known."""
        return self.half_width is None or abs(self.mean) > self.half_width

    def __sub__(self, other: "Measured") -> "Measured":
        """Return the difference of two numbers that are not paired; its error is known where both are."""
        errors = [_quadrature(getattr(self, name), getattr(other, name)) for name in ("stderr", "half_width")]
        return Measured(self.mean - other.mean, *errors, paired=False)


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


def claimed(summary: Mapping, *texts: str) -> dict[str, Measured]:
    """Return {name: number} of the numbers that judged the summary's own claims, for names that contain all these
    texts.

    These numbers are differences that are paired within each seed. Claims of a sweep's points do not count.
    """
    numbers = {}
    for claim in summary.get("claims", []):
        for name, mean in claim["measured"].items() if "point" not in claim else ():
            if all(text in name for text in texts) and _is_known(mean):
                stderr = claim["errors"].get(name)
                half = claim.get("intervals", {}).get(name)
                if half is None and stderr is not None:  # a claim that was judged before intervals were kept
                    half = stderr * quantile(max(2, seeds(summary)))
                numbers[name] = Measured(mean, stderr, half)
    return numbers


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


def _quadrature(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else math.hypot(one, other)
