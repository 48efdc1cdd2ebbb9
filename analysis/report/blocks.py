"""What a report consists of beside its figures: tables and sentences, the same for page, text and terminal."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Number:
    """A measured number, with its standard error and its standard deviation over the seeds where they are known."""

    mean: float | None
    stderr: float | None = None
    spread: float | None = None
    brief: bool = False  # shown without its error where there is little room
    significant: bool = False  # so many digits in all, where nothing is known of its size, not behind the point

    def text(self, digits: int, narrow: bool = False) -> str:
        """'0.82492 ± 0.01204, spread 0.00311', or, where there is little room, '0.8249±0.0120'."""
        if self.mean is None:
            return "-"
        shown = self._digits(self.mean, digits)
        if self.stderr is not None and not (narrow and self.brief):
            shown += f"{'±' if narrow else ' ± '}{self._digits(self.stderr, digits)}"
        if self.spread is not None and not narrow:
            shown += f", spread {self._digits(self.spread, digits)}"
        return shown

    def _digits(self, value: float, digits: int) -> str:
        if self.significant:
            return f"{value:.{digits}g}"
        small_or_large = value != 0 and not 10**-digits <= abs(value) < 1e7
        return f"{value:.{digits - 2}g}" if small_or_large else f"{value:.{digits}f}"


Cell = str | Number


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
    return Number(numbers.get(name), numbers.get(f"{name}.stderr"), numbers.get(f"{name}.spread"), False, significant)


def verdict(claim: dict) -> str:
    """Of a claim in a summary."""
    return {True: "holds", False: "does not hold", None: "not judged"}[claim["holds"]]


def verdicts(claims: list[dict]) -> str:
    """'3 of 4 claims hold; 1 could not be judged'."""
    judged = [claim["holds"] for claim in claims if claim["holds"] is not None]
    rest = len(claims) - len(judged)
    return f"{judged.count(True)} of {len(judged)} claims hold" + (f"; {rest} could not be judged" if rest else "")
