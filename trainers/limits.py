"""Refuses sizes that would not fit into memory, or would run for very long, before anything is compiled.

The amounts are rough estimates from shapes. Where a device has too little memory in spite of this check, the run ends
with another message of one line (`lab.runs.memory`).
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
    """An amount that must be at most `most`. powers: {key: the power of that setting with which the amount grows}."""

    what: str  # is wrong where the amount is larger: "the weights exceed the memory", say
    amount: float
    most: float
    powers: Mapping[str, int]


def usable_bytes() -> float:
    """Return how many bytes of the device's memory a program may take."""
    return SHARE * free_bytes()


def check_limits(
    settings: Base, limits: Sequence[Limit], others: Mapping[str, tuple[float, float]] | None = None
) -> None:
    """Check that no amount exceeds its limit.

    Args:
        others: {key: (value, default)} for keys whose value is not a single number.

    Raises:
        ConfigError: a limit is exceeded. The message names the setting that is furthest above its default, and its
            largest value that is within all limits.
    """
    exceeded = [limit for limit in limits if limit.amount > limit.most]
    if not exceeded:
        return
    values: dict[str, tuple[float, float]] = {
        setting.key: (setting.value, setting.default)
        for setting in each(settings)
        if isinstance(setting.value, int | float) and isinstance(setting.default, int | float)
    }
    values |= others or {}
    keys = {key for limit in exceeded for key in limit.powers if key in values}
    key = max(sorted(keys), key=lambda key: values[key][0] / values[key][1])
    fits = [
        (values[key][0] * (limit.most / limit.amount) ** (1 / limit.powers[key]), limit.what)
        for limit in exceeded
        if key in limit.powers
    ]
    largest, what = min(fits)
    raise ConfigError(f"{key}={values[key][0]}: {what}; with the other settings as they are, must be <= {int(largest)}")
