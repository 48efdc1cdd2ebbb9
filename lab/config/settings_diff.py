"""Settings that were stored beside those of today: in which keys they differ.

A run's name is a hash of what differs from the defaults, so a default that has changed leaves the name as it was. What
proves that a stored result is what today's command would make are the values of all keys that matter.
"""

import dataclasses
from collections.abc import Mapping

from lab.config.base import Base
from lab.config.identity import Setting, iter_settings, shown

LONGEST = 40  # characters of a value that are shown
ABSENT = object()


@dataclasses.dataclass(frozen=True)
class Change:
    """One key with another value than it had."""

    key: str
    past: object
    today: object

    def __str__(self) -> str:
        return f"{self.key} was {_short(self.past)} and is {_short(self.today)} today"


def values(settings: Base) -> dict[str, object]:
    """Return {key: value} of all that the results depend on, defaults too, as JSON has it."""
    return {setting.key: setting.value for setting in _matter(settings)}


def values_in(config: Mapping, settings: Base) -> dict[str, object]:
    """Return the same from the sections of a stored config.yaml, as far as it has today's keys."""
    stored = {key: _value(config, key, settings) for key in values(settings)}
    return {key: value for key, value in stored.items() if value is not ABSENT}


def changes(stored: Mapping[str, object], settings: Base, training: bool = False) -> list[Change]:
    """Return the keys that matter and have another value today.

    Args:
        stored: {key: value}, as `values` gives it. A key that is missing there (older code did not know it) had today's
            default; one that there is no longer is ignored.
        settings: today's.
        training: whether only the training counts, and not what is used after it.
    """
    late = "after_training" if training else None
    pairs = [(setting, stored.get(setting.key, setting.default)) for setting in _matter(settings)]
    return [
        Change(setting.key, past, setting.value)
        for setting, past in pairs
        if past != setting.value and not setting.metadata.get(late)
    ]


def why(differing: list[Change]) -> str:
    """Return a line's part that names the first of them, and how many there are besides; empty where there are none."""
    if not differing:
        return ""
    more = len(differing) - 1
    besides = "" if not more else ", and another key" if more == 1 else f", and {more} other keys"
    return f"{differing[0]}{besides}"


def _matter(settings: Base) -> list[Setting]:
    return [setting for setting in iter_settings(settings) if not setting.metadata.get("not_hashed")]


def _value(config: Mapping, key: str, settings: Base) -> object:
    node: object = config
    for part in key.split("."):
        if not isinstance(node, Mapping) or part not in node:
            return ABSENT
        node = node[part]
    if key in settings.GROUPS and isinstance(node, Mapping):
        return node.get("name", ABSENT)
    return node


def _short(value: object) -> str:
    text = shown(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
