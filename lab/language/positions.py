"""Numbers of a position that need no weights: frequencies of rotary planes and slopes of ALiBi, in double precision.

Rotary positions (Su et al. 2021, "RoFormer") turn plane r of R by position * base^(-r/R). Two ways to lengthen them:
"linear" divides all frequencies by a factor; "llama3" (Llama 3.1's) divides those of waves longer than
context / low_freq_factor, leaves those shorter than context / high_freq_factor, and mixes both between.
ALiBi (Press et al. 2022, "Train short, test long") lowers scores by slope times distance.
"""

import math
from collections.abc import Mapping
from typing import Any

from lab.errors import ConfigError, printable, short
from lab.language.arch import number


def frequencies(planes: int, base: float, scaling: Mapping[str, Any] | None) -> tuple[float, ...]:
    """Return the radians per position of each plane, (R,).

    Args:
        planes: R, half of the number of coordinates that turn.
        base: the ratio of the largest frequency to that of a plane R.
        scaling: `rope_scaling` or `rope_parameters` of a `config.json`, or None.

    Raises:
        ConfigError: the kind of scaling is not supported, or one of its numbers is missing or no positive number.
    """
    plain = [base ** (-r / planes) for r in range(planes)]
    scaling = scaling or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "default":
        return tuple(plain)
    if kind not in ("linear", "llama3"):
        name = short(printable(str(kind)))
        raise ConfigError(f"config.json: rope_type={name} is not supported; allowed: default, linear, llama3")
    names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    names = names[:1] if kind == "linear" else names
    missing = [name for name in names if name not in scaling]
    if missing:
        raise ConfigError(f"config.json: rope_type={kind} has no {missing[0]}")
    factor, *others = (number(scaling, name) for name in names)
    if not others:
        return tuple(f / factor for f in plain)
    low, high, context = others
    if low >= high:
        raise ConfigError(f"config.json: low_freq_factor={low} must be below high_freq_factor={high}")

    def lengthened(f: float) -> float:
        turns = context * f / (2 * math.pi)  # of the plane, in the original context
        share = min(1.0, max(0.0, (turns - low) / (high - low)))  # of the frequency that stays
        return share * f + (1 - share) * f / factor

    return tuple(lengthened(f) for f in plain)


def slopes(heads: int) -> tuple[float, ...]:
    """Return the slope of each head, (H,): 2^(-8 h / H) for a power of two.

    For other numbers of heads it is the slopes of the power of two below, then every second one of the power above.
    """
    power = 2 ** math.floor(math.log2(heads))

    def series(count: int) -> list[float]:
        return [2.0 ** (-8 * h / count) for h in range(1, count + 1)]

    return tuple(series(power) + series(2 * power)[::2][: heads - power])
