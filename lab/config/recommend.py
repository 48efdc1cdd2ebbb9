"""Settings of `recommend`: who predicts best which item a user takes next? No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import LARGEST, Base
from lab.config.choices import Split
from lab.config.heads import check_heads
from lab.config.lists import some_each_once
from lab.config.training import Training
from tasks.logs.settings import ItemData
from tasks.settings import PROBABILITY, Parameters, above_zero, at_least_two, positive


@dataclass
class SequenceModel:
    """The decoder, whose heads share no keys; the recurrent network is as wide."""

    num_layers: int = field(default=2, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(48)  # D
    num_heads: int = positive(2)
    mlp_width: int = positive(192)
    context_width: int = positive(24)  # of the items' vectors, of learners that descend in context


@dataclass
class ItemTraining(Training):
    steps: int = positive(800)
    learning_rate: float | None = field(default=0.01, metadata={"above": 0})


@dataclass
class Ranking(Base):
    """What experiments on recommenders of the next item share."""

    model: SequenceModel = field(default_factory=SequenceModel)
    train: ItemTraining = field(default_factory=ItemTraining)
    test_users: int = at_least_two(2000)  # of all at most
    splits: list[Split] = field(default_factory=lambda: [Split.leave_one_out])
    test_share: float = field(default=0.2, metadata=PROBABILITY)  # of all items, that come after the moment of a split
    negatives: int = positive(49)  # other candidates of a slate, any items alike
    smoothing: float = above_zero(20.0)  # of a Markov chain: transitions from every item as many as these are popular
    seeds: int = field(default=3, metadata={"at_least": 1, "at_most": 2**16})  # seed, seed + 1, ...
    chunk: int = field(default=250, metadata={"at_least": 1, "at_most": LARGEST, "not_hashed": True})  # users at a time

    def check(self) -> None:
        some_each_once("splits", self.splits)
        check_heads(self.model)


@dataclass
class Recommendation(Ranking):
    """Recommenders are fitted to a log of items that users took, and rank the candidates for the next one."""

    GROUPS: ClassVar = {"task": "items"}
    FIGURE: ClassVar = "recommend"

    task: Parameters = MISSING
    users: int = at_least_two(4000)  # of the log of each seed


@dataclass
class LogRecommendation(Ranking):
    """The same on a log of real users. Seeds differ in initial weights, batches and candidates."""

    GROUPS: ClassVar = {"data": "movielens_items"}
    FIGURE: ClassVar = "recommend_log"

    data: ItemData = MISSING

    def fill_in(self) -> None:
        """The checksum of the log."""
        from tasks.logs.catalogue import ITEM_READERS

        ITEM_READERS[self.data.name].fill_in(self.data)
