"""Settings of `demonstrations`: search for a user's demonstrations by Effect_D, and the references for that search.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import LARGEST, Base
from lab.config.choices import Recommender
from lab.config.heads import check_heads
from lab.config.lists import some_each_once
from lab.config.recommender import RecommenderModel
from lab.config.training import Training
from lab.errors import ConfigError
from tasks.settings import PROBABILITY, Parameters, above_zero, at_least_two, positive


@dataclass
class Demonstrations(Base):
    """Sets of demonstrations are proposed for each user, scored by Effect_D on validation queries, and shown to test
    queries. Searches with and without demonstrations of another path are compared, with controls that have as many
    demonstrations or as many evaluations."""

    GROUPS: ClassVar = {"task": "recommend"}
    FIGURE: ClassVar = "demonstrations"
    TINY: ClassVar = ["experiment=demonstrations", "task.num_context=6", "task.slate=6", "task.item_dim=3", "users=10",
                      "seeds=2", "pool=8", "examples=2", "proposals=3", "rounds=3", "validation=[1,2]", "queries=4",
                      "chunk=6"]  # fmt: skip

    task: Parameters = MISSING
    learner: Recommender = Recommender.descent
    penalty: float = above_zero(3.0)  # of ridge regression
    model: RecommenderModel = field(default_factory=RecommenderModel)
    # Training of the decoder, on prompts of any number of the user's own demonstrations.
    train: Training = field(default_factory=Training)
    users: int = at_least_two(1000)  # users per seed
    seeds: int = field(default=3, metadata={"at_least": 1, "at_most": 2**16})  # how many: seed, seed + 1, ...
    pool: int = at_least_two(40)  # M, demonstrations per user
    contamination: float = field(default=0.5, metadata=PROBABILITY)  # share of the pool that is another person's
    examples: int = positive(8)  # N, demonstrations of a set; the controls of equal size have twice as many
    proposals: int = at_least_two(6)  # sets per round and path
    rounds: int = at_least_two(12)
    # Numbers of validation queries; every search is repeated with each of them.
    validation: list[int] = field(default_factory=lambda: [1, 5, 20], metadata={"at_least": 1, "at_most": LARGEST})
    queries: int = positive(10)  # test queries per user
    step: float = field(default=0.5, metadata={"above": 0, "at_most": 1})  # how far pi moves to the best sets
    floor: float = field(default=0.005, metadata={"above": 0, "at_most": 1})  # the least value of pi
    threshold: float = field(default=0.6, metadata=PROBABILITY)  # similarity above which a path has collapsed
    chunk: int = positive(250)  # users computed at a time

    def check(self) -> None:
        some_each_once("validation", self.validation)
        if 2 * self.examples > self.pool:
            raise ConfigError(f"examples={self.examples}: twice as many must be in the pool={self.pool}")
        check_heads(self.model)
