"""The points of a benchmark: one setting at a time is changed, the others stay where the configuration has them."""

import copy
import dataclasses

from lab.config.comparison import Config

AXES = {
    "num_layers": ("model", "num_layers"),
    "batch_size": ("train", "batch_size"),
    "num_context": ("task", "num_context"),
    "input_dim": ("task", "input_dim"),
    "population": ("population", "seeds"),
}


@dataclasses.dataclass(frozen=True)
class Point:
    axis: str
    value: int
    config: Config

    @property
    def name(self) -> str:
        return f"{self.axis}={self.value}"


def points(config: Config) -> list[Point]:
    """In the order of the axes; the centre is a point of every axis that has its value."""
    return [Point(axis, value, _at(config, axis, value)) for axis, of in config.benchmark.axes.items() for value in of]


def _at(config: Config, axis: str, value: int) -> Config:
    """The batch is smaller where the context is so long that it would hold more than `benchmark.examples` of it."""
    at, (section, key) = copy.deepcopy(config), AXES[axis]
    setattr(getattr(at, section), key, value)
    at.train.batch_size = max(1, min(at.train.batch_size, at.benchmark.examples // at.task.num_context))
    return at
