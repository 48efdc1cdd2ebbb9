"""Checks of keys that take a list. No JAX here."""

from collections.abc import Sequence

from lab.errors import ConfigError


def each_once(key: str, values: Sequence) -> None:
    """Check that a list, which may be empty, has no value twice.

    Raises:
        ConfigError: a value is there twice.
    """
    if any(value in values[:place] for place, value in enumerate(values)):
        words = ",".join(str(getattr(value, "value", value)) for value in values)
        raise ConfigError(f"{key}=[{words}]: each once")


def some_each_once(key: str, values: Sequence) -> None:
    """Check that a list has at least one value, and none twice.

    Raises:
        ConfigError: it is empty, or a value is there twice.
    """
    if not values:
        raise ConfigError(f"{key}=[]: at least one")
    each_once(key, values)
