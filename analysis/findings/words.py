"""A claim's deciding number as a sentence reads it: rounded by its error, relative differences in per cent."""

import math
import re

EXCESS = re.compile(r"(?:(?P<place>.*): )?(?P<measured>[^|:]+) / (?P<reference>[^|]+) - 1")
PAIR = re.compile(r"(-?[\d.]+(?:e[-+]?\d+)?) ± ([\d.]+(?:e[-+]?\d+)?)")
TINY = 1e-6  # smaller numbers are shown as powers of ten
DIGITS = 3  # digits of a number without an error


def rounded(value: float, error: float | None = None) -> str:
    """Return a number rounded for reading: "0.731 ± 0.012", "0.15", "6e-16".

    The error has one digit, and two where the first one is 1; the number ends where its error does.
    """
    if not error or not math.isfinite(error):
        return _alone(value)
    first = math.floor(math.log10(error))
    places = max(-first + (error / 10**first < 1.95), 0)  # 0.0196 is rounded to 0.02
    if places > 6:
        return f"{value:.2g} ± {error:.1g}"
    return f"{_zero(value, places)} ± {error:.{places}f}"


def measured(claim: dict) -> str:
    """Return the number of a claim that is nearest to its bound, in words; "" for a claim without one."""
    name = claim["deciding"]
    if not name:
        return ""
    return in_words(name, claim["measured"][name], claim["errors"].get(name))


def in_words(name: str, value: float, error: float | None) -> str:
    """Return a number with its name: "5 examples: error is 88.7 ± 0.3% below that of nearest"."""
    if match := EXCESS.fullmatch(name):
        place = f"{match['place']}: " if match["place"] else ""
        reference = match["reference"].rstrip(", ")  # "A / B, which is long, - 1"
        if value == 0:
            return f"{place}{match['measured']} is equal to {reference}"
        side = "above" if value >= 0 else "below"
        number = rounded(100 * abs(value), 100 * error if error else None)
        return f"{place}{match['measured']} is {number}% {side} {reference}"
    return f"{name}: {rounded(value, error)}"


def reason(claim: dict) -> str:
    """Return the reason why a claim has no verdict, in one sentence with rounded numbers; "" for a claim with one."""
    return PAIR.sub(lambda pair: rounded(float(pair[1]), float(pair[2])), claim["why"])


def _alone(value: float) -> str:
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if abs(value) < TINY:
        return f"{value:.0e}".replace("e-0", "e-")
    places = DIGITS - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(places, 0)}f}".rstrip("0").rstrip(".") if places > 0 else f"{value:.0f}"


def _zero(value: float, places: int) -> str:
    """Return the digits of a number; one that rounds to zero has no sign."""
    text = f"{value:.{places}f}"
    return text.lstrip("-") if float(text) == 0 else text
