"""What is allowed of a key that takes a list. No JAX here."""

from collections.abc import Sequence

from lab.errors import ConfigError


def each_once(key: str, values: Sequence) -> None:
    """A list may be empty, and repeats nothing.

    Raises:
        ConfigError: a value is there twice.
    """
    if any(value in values[:place] for place, value in enumerate(values)):
        shown = ",".join(str(getattr(value, "value", value)) for value in values)
        raise ConfigError(f"{key}=[{shown}]: each once")


def some_each_once(key: str, values: Sequence) -> None:
    """A list has a value at least, and repeats nothing.

    Raises:
        ConfigError: it is empty, or a value is there twice.
    """
    if not values:
        raise ConfigError(f"{key}=[]: at least one")
    each_once(key, values)
