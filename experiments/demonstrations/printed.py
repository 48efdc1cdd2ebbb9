"""Tables of numbers that sources printed: published.csv beside a kind. No JAX here, and no numbers of runs."""

import csv
import functools
import pathlib


@functools.cache
def printed(file: pathlib.Path) -> tuple[dict[str, str], ...]:
    """Return the rows of a table."""
    with open(file, newline="", encoding="utf-8") as lines:
        return tuple(csv.DictReader(lines))
