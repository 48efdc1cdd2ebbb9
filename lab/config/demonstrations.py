"""Settings of `demonstrations`: search for a user's demonstrations by Effect_D, and what it is held against. No JAX
here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import LARGEST, Base
from lab.config.choices import Recommender
from lab.config.training import Training
from lab.errors import ConfigError
from tasks.settings import PROBABILITY, Parameters, above_zero, positive


@dataclass
class RecommenderModel:
    """The decoder, where the learner is one; its heads share no keys."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(48)  # D
    num_heads: int = positive(4)
    mlp_width: int = positive(192)


@dataclass
class Demonstrations(Base):
    """For each user sets of demonstrations are proposed, scored by Effect_D on validation queries, and shown to test
    queries; with perturbation by another path's set, and controls of equal size and equal numbers of evaluations."""

    GROUPS: ClassVar = {"task": "recommend"}
    FIGURE: ClassVar = "demonstrations"

    task: Parameters = MISSING
    learner: Recommender = Recommender.descent
    penalty: float = above_zero(3.0)  # of ridge regression
    model: RecommenderModel = field(default_factory=RecommenderModel)
    train: Training = field(
        default_factory=Training
    )  # of the decoder, on prompts of any number of clean demonstrations
    users: int = field(default=1000, metadata={"at_least": 2, "at_most": LARGEST})  # of each seed
    seeds: int = field(default=3, metadata={"at_least": 1, "at_most": 2**16})  # seed, seed + 1, ...
    pool: int = field(default=40, metadata={"at_least": 2, "at_most": LARGEST})  # M, demonstrations of a user
    contamination: float = field(default=0.5, metadata=PROBABILITY)  # share of the pool that is another person's
    examples: int = positive(8)  # N, of a set; the controls of equal size have twice as many
    proposals: int = field(default=6, metadata={"at_least": 2, "at_most": LARGEST})  # sets of each round and path
    rounds: int = field(default=12, metadata={"at_least": 2, "at_most": LARGEST})
    validation: list[int] = field(default_factory=lambda: [1, 5, 20], metadata={"at_least": 1, "at_most": LARGEST})
    queries: int = positive(10)  # of the test, of each user
    step: float = field(default=0.5, metadata={"above": 0, "at_most": 1})  # how far pi moves to the best sets
    floor: float = field(default=0.03, metadata={"above": 0, "at_most": 0.5})  # of pi, and its distance from 1
    threshold: float = field(default=0.6, metadata=PROBABILITY)  # similarity above which a path has collapsed
    chunk: int = field(default=250, metadata={"at_least": 1, "at_most": LARGEST, "not_hashed": True})  # users at a time

    def check(self) -> None:
        if not self.validation or len({*self.validation}) < len(self.validation):
            raise ConfigError(f"validation={self.validation}: at least one, and each once")
        if 2 * self.examples > self.pool:
            raise ConfigError(f"examples={self.examples}: twice as many must be in the pool={self.pool}")
        if self.model.width % self.model.num_heads:
            raise ConfigError(f"model.num_heads={self.model.num_heads}: must divide model.width={self.model.width}")
