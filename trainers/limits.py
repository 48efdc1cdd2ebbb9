"""Sizes that would not fit the memory, or would run for very long without a sign: refused before anything is compiled.

The amounts are estimates from shapes, of the order of what is needed; a device that has too little all the same ends
the run with a line of its own (`lab.runs.memory`).
"""

import dataclasses
from collections.abc import Mapping, Sequence

from lab.config.base import Base
from lab.config.identity import each
from lab.errors import ConfigError
from lab.runs.memory import SHARE, free_bytes

FLOAT = 4  # bytes


@dataclasses.dataclass(frozen=True)
class Limit:
    """An amount that must be at most `most`. powers: {key: with which power of it the amount grows}."""

    what: str
    amount: float
    most: float
    powers: Mapping[str, int]


def usable_bytes() -> float:
    """Of the device's memory, what a program may take."""
    return SHARE * free_bytes()


def check_limits(
    settings: Base, limits: Sequence[Limit], others: Mapping[str, tuple[float, float]] | None = None
) -> None:
    """
    Args:
        others: {key: (value, default)} of keys whose value is no single number.

    Raises:
        ConfigError: a limit is exceeded, with the key that is furthest above its default and the largest value of it.
    """
    over = [limit for limit in limits if limit.amount > limit.most]
    if not over:
        return
    known = {setting.key: (setting.value, setting.default) for setting in each(settings)} | dict(others or {})
    keys = {key for limit in over for key in limit.powers if key in known}
    key = max(sorted(keys), key=lambda key: known[key][0] / known[key][1])
    fits = [
        (known[key][0] * (limit.most / limit.amount) ** (1 / limit.powers[key]), limit.what)
        for limit in over
        if key in limit.powers
    ]
    largest, what = min(fits)
    raise ConfigError(f"{key}={known[key][0]}: {what}; with the other settings as they are, must be <= {int(largest)}")
