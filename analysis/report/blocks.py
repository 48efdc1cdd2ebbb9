"""What a report consists of beside its figures: tables and sentences, the same for page, text and terminal."""

import dataclasses
import math

MOST_PLACES = 8  # behind the point


@dataclasses.dataclass(frozen=True)
class Number:
    """A measured number, with its standard error where it is known."""

    mean: float | None
    stderr: float | None = None
    brief: bool = False  # shown without its error where there is little room
    significant: bool = False  # so many digits in all, where nothing is known of its size, not behind the point

    def text(self, digits: int, narrow: bool = False) -> str:
        """'0.825 ± 0.012', with two digits of the error; without an error so many digits as asked for. narrow:
        '0.825±0.012', where there is little room."""
        if self.mean is None:
            return "-"
        if not self.stderr or not math.isfinite(self.stderr):
            return self._digits(self.mean, digits)
        places = 1 - math.floor(math.log10(self.stderr))
        if narrow and self.brief:
            return self._digits(self.mean, min(digits, max(places, 0)))
        shown = [_rounded(value, places) for value in (self.mean, self.stderr)]
        return ("±" if narrow else " ± ").join(shown)

    def _digits(self, value: float, digits: int) -> str:
        if self.significant:
            return f"{value:.{digits}g}"
        small_or_large = value != 0 and not 10**-digits <= abs(value) < 1e7
        return f"{value:.{max(digits - 2, 1)}g}" if small_or_large else f"{value:.{digits}f}"


def _rounded(value: float, places: int) -> str:
    """To so many places behind the point, or before it where negative; as 1.2e-09 where there would be very many."""
    if places > MOST_PLACES:
        return f"{value:.2g}"
    return f"{round(value, places):.{max(places, 0)}f}"


@dataclasses.dataclass(frozen=True)
class Label:
    """A name, and what it stands for: shown when a pointer rests on it."""

    text: str
    description: str


Cell = str | Number | Label


@dataclasses.dataclass(frozen=True)
class Table:
    caption: str
    heads: tuple[str, ...]  # a line break is a good place to wrap
    rows: list[tuple[Cell, ...]]
    digits: int = 4  # in the terminal, which has less room than a page
    width: int | None = None  # characters that it takes in the terminal, where it is wider than most


Block = Table | str  # a string is a sentence


def number(numbers: dict, name: str, significant: bool = False) -> Number:
    """The number of this name in a summary's flat `numbers`, with those that belong to it."""
    return Number(numbers.get(name), numbers.get(f"{name}.stderr"), False, significant)


def verdict(claim: dict) -> str:
    """Of a claim in a summary."""
    return {True: "holds", False: "does not hold", None: "not judged"}[claim["holds"]]


def verdicts(claims: list[dict]) -> str:
    """'3 of 4 claims hold; 1 could not be judged'."""
    judged = [claim["holds"] for claim in claims if claim["holds"] is not None]
    rest = len(claims) - len(judged)
    return f"{judged.count(True)} of {len(judged)} claims hold" + (f"; {rest} could not be judged" if rest else "")
