"""The interface of trackers: a tracker copies the numbers of metrics.jsonl into the format of another viewer.

It writes to a folder of its own in the run's directory, named after its setting. metrics.jsonl is the original: when a
run begins or goes on, the folder is made anew from the first line of that file, so that nothing is in it twice and
nothing is missing, wherever the run was killed.
"""

import abc
import math
import pathlib
from collections.abc import Iterator

from lab.config.base import Base


class Tracker(abc.ABC):
    """A writer of one run's numbers.

    Args:
        parent: the run's directory, in which the tracker makes its folder.
        seconds: how long the run had taken when the last line of metrics.jsonl was written; 0 where there is none.
    """

    @abc.abstractmethod
    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float): ...

    @abc.abstractmethod
    def write(self, line: dict) -> None:
        """Write one line of metrics.jsonl: {"seconds": seconds of the run so far, "members": [one row per seed]}."""

    @abc.abstractmethod
    def close(self) -> None: ...


class NoTracker(Tracker):
    """The tracker that writes nothing."""

    def __init__(self, parent: pathlib.Path, settings: Base, seconds: float):
        pass

    def write(self, line: dict) -> None:
        pass

    def close(self) -> None:
        pass


def scalars(line: dict) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Yield (seed, step, {name: value}) for each row of a line, without values that are not finite numbers.

    Viewers group names by the part before a slash, so the first point of a name becomes one:

    >>> row = {"step": 4, "seed": 0, "loss.ridge": 0.5, "loss.interpolated": float("nan"), "train_loss.mlp": None}
    >>> list(scalars({"seconds": 1.0, "members": [row]}))
    [(0, 4, {'loss/ridge': 0.5})]
    """
    for row in line["members"]:
        values = {key: value for key, value in row.items() if key not in ("seed", "step") and value is not None}
        finite = {key.replace(".", "/", 1): value for key, value in values.items() if math.isfinite(value)}
        yield row["seed"], row["step"], finite
