"""Compares stored settings with today's: the keys in which they differ.

A run's name is a hash of the settings that differ from their defaults, so it stays the same if a default changes. Only
equal values of all keys that results depend on prove that today's command would make the stored result.
"""

from collections.abc import Mapping

from lab.config.base import Base
from lab.config.identity import hashed, shown

LONGEST = 40  # most characters shown of a value
ABSENT = object()


def values(settings: Base) -> dict[str, object]:
    """Return {key: value} of all keys that the results depend on, including defaults, in the types of JSON."""
    return {setting.key: setting.value for setting in hashed(settings)}


def values_in(config: Mapping, settings: Base) -> dict[str, object]:
    """Return {key: value} from the sections of a stored config.yaml, for all of today's keys that it has."""
    stored = {key: _value(config, key, settings) for key in values(settings)}
    return {key: value for key, value in stored.items() if value is not ABSENT}


def difference(stored: Mapping[str, object], settings: Base, training: bool = False) -> str:
    """Return a phrase that names the first key whose value differs today, and the number of others; "" if none differs.

    Args:
        stored: {key: value}, as `values` gives it. A key that is missing there (older code did not know it) had today's
            default; one that there is no longer is ignored.
        settings: today's.
        training: whether only the training counts, and not what is used after it.
    """
    late = "after_training" if training else None
    pairs = [(each, stored.get(each.key, each.default)) for each in hashed(settings) if not each.metadata.get(late)]
    differing = [(each, past) for each, past in pairs if past != each.value]
    if not differing:
        return ""
    (first, past), more = differing[0], len(differing) - 1
    besides = "" if not more else ", and another key" if more == 1 else f", and {more} other keys"
    return f"{first.key} was {_short(past)} and is {_short(first.value)} today{besides}"


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
