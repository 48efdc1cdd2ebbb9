"""Settings of `demonstrations`: search for a user's demonstrations by Effect_D, and the references for that search.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base
from lab.config.choices import Recommender
from lab.config.decoder import DecoderShape
from lab.config.recommender import Search
from lab.config.training import EvalUsers, Training, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import PROBABILITY, Parameters, above_zero, at_least_two, chosen, key, positive, several


@dataclass
class RecommenderModel(DecoderShape):
    """The decoder; each of its heads has keys and values of its own."""

    width: int = positive(48)
    mlp_width: int = positive(192)


@dataclass
class Demonstrations(Search, Base):
    """Sets of demonstrations are proposed for each user, scored by Effect_D on validation queries, and shown to test
    queries. Searches with and without demonstrations of another path are compared, with controls that have as many
    demonstrations or as many evaluations."""

    GROUPS: ClassVar = {"task": "recommend"}
    FIRST: ClassVar = ["seeds", "learner", "eval.users", "pool", "examples", "contamination", "proposals", "rounds",
                       "validation", "train.steps"]  # fmt: skip
    TINY: ClassVar = ["experiment=demonstrations", "task.num_context=6", "task.slate=6", "task.item_dim=3",
                      "eval.users=10", "seeds=2", "pool=8", "examples=2", "proposals=3", "rounds=3", "validation=[1,2]",
                      "queries=4", "eval.block=6"]  # fmt: skip

    task: Parameters = chosen("The task that draws users, items and choices.")
    learner: Recommender = key(Recommender.descent, "The learner that answers prompts of demonstrations.")
    penalty: float = above_zero(3.0, "Penalty of ridge regression.")
    model: RecommenderModel = field(default_factory=RecommenderModel)
    # Training of the decoder, on prompts of any number of the user's own demonstrations.
    train: Training = field(default_factory=Training)
    eval: EvalUsers = field(default_factory=EvalUsers)
    seeds: int = number_of_seeds(3)
    pool: int = at_least_two(40, "M, the demonstrations per user that sets are drawn from.")
    contamination: float = key(0.5, "Share of the pool that is another person's.", **PROBABILITY)
    validation: list[int] = several(
        [1, 5, 20], "Numbers of validation queries; every search is repeated with each.", at_least=1, at_most=LARGEST
    )
    queries: int = positive(10, "Test queries per user.")

    def check(self) -> None:
        if 2 * self.examples > self.pool:
            raise ConfigError(f"examples={self.examples}: twice as many must be in the pool={self.pool}")
        self.model.check()
