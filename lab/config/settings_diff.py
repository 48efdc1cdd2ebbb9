"""Compares stored settings with today's: the keys in which they differ.

A run's name is a hash of the settings that differ from their defaults, so it stays the same if a default changes. Only
equal values of all keys that results depend on prove that today's command would make the stored result.
"""

import dataclasses
from collections.abc import Mapping

from lab.config.base import Base
from lab.config.identity import Setting, iter_settings, shown

LONGEST = 40  # most characters shown of a value
ABSENT = object()


@dataclasses.dataclass(frozen=True)
class Change:
    """One key whose value differs from the stored one."""

    key: str
    past: object
    today: object

    def __str__(self) -> str:
        return f"{self.key} was {_short(self.past)} and is {_short(self.today)} today"


def values(settings: Base) -> dict[str, object]:
    """Return {key: value} of all keys that the results depend on, including defaults, in the types of JSON."""
    return {setting.key: setting.value for setting in _matter(settings)}


def values_in(config: Mapping, settings: Base) -> dict[str, object]:
    """Return {key: value} from the sections of a stored config.yaml, for all of today's keys that it has."""
    stored = {key: _value(config, key, settings) for key in values(settings)}
    return {key: value for key, value in stored.items() if value is not ABSENT}


def changes(stored: Mapping[str, object], settings: Base, training: bool = False) -> list[Change]:
    """Return the keys that results depend on and whose value differs today.

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
    """Return a phrase that names the first difference and the number of others; "" if there are none."""
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
