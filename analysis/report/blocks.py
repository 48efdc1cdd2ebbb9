"""The tables of a report, the same for the page, the text and the terminal."""

import dataclasses
import math
from collections.abc import Mapping, Sequence

MOST_PLACES = 8  # decimal places


@dataclasses.dataclass(frozen=True)
class Number:
    """A measured number, with its standard error where it is known."""

    mean: float  # NaN: it was not measured
    stderr: float | None = None

    def text(self, digits: int = 3, narrow: bool = False) -> str:
        """Return the number as '0.825 ± 0.012' with two digits of the error, or without an error with `digits` digits,
        or as many as are before the point.

        narrow: without spaces, '0.825±0.012'.
        """
        if math.isnan(self.mean):
            return "-"
        if not self.stderr:
            before_the_point = len(str(int(abs(self.mean)))) if abs(self.mean) < 1e7 else 0
            return f"{self.mean:.{max(digits, before_the_point)}g}"
        places = 1 - math.floor(math.log10(self.stderr))
        return ("±" if narrow else " ± ").join(_rounded(value, places) for value in (self.mean, self.stderr))


def _rounded(value: float, places: int) -> str:
    """Return a value rounded to `places` decimal places (-1 rounds to tens), or as 1.2e-09 if these are too many."""
    if places > MOST_PLACES:
        return f"{value:.2g}"
    return f"{round(value, places):.{max(places, 0)}f}"


@dataclasses.dataclass(frozen=True)
class Label:
    """A name with a description, which the page shows when the pointer rests on the name."""

    text: str
    description: str


def plain(name: str | Label) -> str:
    """Return a name as text, without its description."""
    return name.text if isinstance(name, Label) else name


Cell = str | Number | Label


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of a report."""

    caption: str
    heads: tuple[str | Label, ...]  # heads of columns; a line break says where to wrap
    rows: Sequence[tuple[Cell, ...]]


def number(numbers: Mapping, name: str) -> Number:
    """Return the number of this name in a summary's flat `numbers`, with its standard error where that is finite."""
    mean, stderr = (math.nan if (value := numbers.get(key)) is None else value for key in (name, f"{name}.stderr"))
    return Number(mean, stderr if math.isfinite(stderr) else None)


def verdict(claim: dict) -> str:
    """Return the verdict on a claim of a summary in words. Claims judged by an older version have no reason."""
    return claim.get("outcome") or {True: "holds", False: "does not hold", None: "not judged"}[claim["holds"]]


def repeats(claim: dict) -> str:
    """Return the seeds over which errors are taken: '8 seeds', or '7 of 8 seeds' if one did not learn; "" for a single
    seed.
    """
    tried = f" of {claim['seeds_tried']}" if "seeds_tried" in claim else ""
    return f"{claim['seeds']}{tried} {claim['repeats']}" if claim["seeds"] > 1 else ""
