"""Settings of `demonstration_choice`: which of several sets of demonstrations to show. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import LARGEST, Base
from lab.config.lists import some_each_once
from lab.config.trained import Trained
from tasks.settings import at_least_two, key, positive


@dataclass
class DemonstrationChoice(Base):
    """Sets of demonstrations are scored on validation queries, and the best by each score is shown to test queries."""

    FIGURE: ClassVar = "demonstration_choice"
    FIRST: ClassVar = ["model.experiment", "model.seeds", "model.words", "test", "episodes", "sets", "examples",
                       "validation", "queries"]  # fmt: skip
    TINY: ClassVar = ["experiment=demonstration_choice", *tiny.trained(tiny.DECODER), "episodes=6", "sets=4",
                      "examples=2", "validation=[16,32]", "queries=64", "chunk=4"]  # fmt: skip

    model: Trained = field(default_factory=Trained)
    test: list[str] = key([], "Words task.KEY=VALUE in which the test's task differs from training's.")
    episodes: int = at_least_two(200, "Test episodes.")
    sets: int = at_least_two(16, "Sets of demonstrations per episode, of which one is chosen.")
    examples: int = positive(4, "N, the demonstrations of a set.")
    validation: list[int] = key(
        [4, 16, 64], "Numbers of validation queries on which sets are scored.", at_least=1, at_most=LARGEST
    )
    queries: int = positive(256, "Test queries per episode.")
    chunk: int = positive(10, "Episodes computed at a time; each block is drawn from a key of its own.")

    def check(self) -> None:
        some_each_once("validation", self.validation)

    def inputs(self) -> list[list[str]]:
        return [self.model.command]
