"""The tables of a report, the same for the page, the text and the terminal."""

import dataclasses
import math
from collections.abc import Sequence

MOST_PLACES = 8  # decimal places


@dataclasses.dataclass(frozen=True)
class Number:
    """A measured number, with its standard error where it is known."""

    mean: float | None
    stderr: float | None = None
    significant: bool = False  # its size is not known, so `digits` are significant digits, not decimal places

    def text(self, digits: int, narrow: bool = False) -> str:
        """Return the number as '0.825 ± 0.012' with two digits of the error, or without an error with `digits` digits.

        narrow: without spaces, '0.825±0.012'.
        """
        if self.mean is None:
            return "-"
        if not self.stderr or not math.isfinite(self.stderr):
            return self._digits(self.mean, digits)
        places = 1 - math.floor(math.log10(self.stderr))
        return ("±" if narrow else " ± ").join(_rounded(value, places) for value in (self.mean, self.stderr))

    def _digits(self, value: float, digits: int) -> str:
        if self.significant:
            return f"{value:.{digits}g}"
        small_or_large = value != 0 and not 10**-digits <= abs(value) < 1e7
        return f"{value:.{max(digits - 2, 1)}g}" if small_or_large else f"{value:.{digits}f}"


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


def number(numbers: dict, name: str, significant: bool = False) -> Number:
    """Return the number of this name in a summary's flat `numbers`, with its standard error."""
    return Number(numbers.get(name), numbers.get(f"{name}.stderr"), significant)


def verdict(claim: dict) -> str:
    """Return the verdict on a claim of a summary in words. Claims judged by an older version have no reason."""
    return claim.get("outcome") or {True: "holds", False: "does not hold", None: "not judged"}[claim["holds"]]


def repeats(claim: dict) -> str:
    """Return the seeds over which errors are taken: '8 seeds', or '7 of 8 seeds' if one did not learn; "" for a single
    seed.
    """
    tried = f" of {claim['seeds_tried']}" if "seeds_tried" in claim else ""
    return f"{claim['seeds']}{tried} {claim['repeats']}" if claim["seeds"] > 1 else ""
