"""What a tracker is: a second record of a run, in the form of somebody's viewer, with the numbers of metrics.jsonl.

It lives in a folder of its own in the run's directory, named as its setting is. metrics.jsonl is what counts: whenever
a run begins or goes on, the folder is made anew from the first line of that file, so that nothing is in it twice and
nothing is missing, wherever the run was killed.
"""

import abc
import math
import pathlib
from collections.abc import Iterator

from lab.config.base import Base


class Tracker(abc.ABC):
    """`parent` is the run's directory; `seconds` are those that the lines to be written first have taken already."""

    @abc.abstractmethod
    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float): ...

    @abc.abstractmethod
    def write(self, line: dict) -> None:
        """A line of metrics.jsonl: {"seconds": of the run so far, "members": a row a seed}."""

    @abc.abstractmethod
    def close(self) -> None: ...


class NoTracker(Tracker):
    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        pass

    def write(self, line: dict) -> None:
        pass

    def close(self) -> None:
        pass


def scalars(line: dict) -> Iterator[tuple[int, int, dict[str, float]]]:
    """(seed, step, {name: value}) of each row of a line, less what is not a finite number.

    Viewers group names by what stands before a slash:

    >>> row = {"step": 4, "seed": 0, "loss.ridge": 0.5, "loss.interpolated": float("nan"), "train_loss.mlp": None}
    >>> list(scalars({"seconds": 1.0, "members": [row]}))
    [(0, 4, {'loss/ridge': 0.5})]
    """
    for row in line["members"]:
        values = {key: value for key, value in row.items() if key not in ("seed", "step") and value is not None}
        finite = {key.replace(".", "/", 1): value for key, value in values.items() if math.isfinite(value)}
        yield row["seed"], row["step"], finite
