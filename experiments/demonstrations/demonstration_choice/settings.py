"""Settings of `demonstration_choice`: which of several sets of demonstrations to show. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.training import EvalBlocks, StartsFromTrained
from lab.errors import ConfigError
from tasks.settings import at_least_two, key, positive, several


@dataclass
class DemonstrationChoice(StartsFromTrained):
    """Sets of demonstrations are scored on validation queries, and the best by each score is shown to test queries."""

    FIRST: ClassVar = ["model.experiment", "seeds", "model.words", "test", "eval.episodes", "sets", "examples",
                       "validation", "queries"]  # fmt: skip
    TINY: ClassVar = ["experiment=demonstration_choice", *smoke.trained(smoke.DECODER), "eval.episodes=6", "sets=4",
                      "examples=2", "validation=[16,32]", "queries=64",
                      "followed=8", "eval.block=4"]  # fmt: skip

    test: list[str] = key([], "Words task.KEY=VALUE in which the test's task differs from training's.")
    eval: EvalBlocks = field(default_factory=lambda: EvalBlocks(200, 10))
    sets: int = at_least_two(16, "Sets of demonstrations per episode, of which one is chosen.")
    examples: int = positive(4, "N, the demonstrations of a set.")
    validation: list[int] = several(
        [4, 16, 64], "Numbers of validation queries on which sets are scored.", at_least=1, at_most=LARGEST
    )
    queries: int = positive(256, "Test queries per episode.")
    followed: int = positive(64, "Test queries per episode that are followed along the path of the dual models.")

    def check(self) -> None:
        if self.followed > self.queries:
            raise ConfigError(f"followed={self.followed}: must be <= queries={self.queries}")
