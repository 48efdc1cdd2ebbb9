"""The key to lower where settings ask for too much."""

from collections.abc import Sequence

from lab.config.base import Base
from lab.config.identity import Setting, iter_settings

MULTIPLE = 16  # an axis is at most this many times longer than the value of its key
CLOSE = 0.02  # and a few entries longer still, as a share of its length


def to_lower(settings: Base, lengths: Sequence[int]) -> str | None:
    """Return the override KEY=VALUE to lower: the whole number that is furthest above its default.

    Args:
        lengths: lengths of the axes of the largest array. Keys whose value explains one of them are preferred.

    Returns:
        None where no number is above its default.
    """
    raised = [(setting, number) for setting in iter_settings(settings) if (number := _raised(setting)) is not None]
    from_axes = [(one, number) for one, number in raised if any(_comes_from(axis, number) for axis in lengths)]
    if not raised:
        return None
    setting, number = max(from_axes or raised, key=lambda pair: pair[1] / (_largest(pair[0].default) or 1))
    return f"{setting.key}={number}"


def _raised(setting: Setting) -> int | None:
    """Return a number that is above its default and may size an array; None for other settings."""
    number = _largest(setting.value)
    if number is None or setting.key == "seed" or setting.metadata.get("not_hashed"):
        return None
    return number if number > max(1, _largest(setting.default) or 0) else None


def _largest(value: object) -> int | None:
    """Return a whole number, or the largest one of a list, also of lists; None for anything else."""
    if isinstance(value, list):
        return max((number for inner in value if (number := _largest(inner)) is not None), default=None)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _comes_from(axis: int, number: int) -> bool:
    return number <= axis <= (MULTIPLE + 1) * number and axis % number <= CLOSE * axis
