"""Settings of `recommend`: who predicts best which item a user takes next? No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base
from lab.config.choices import Split
from lab.config.heads import check_heads
from lab.config.lists import some_each_once
from lab.config.training import Training
from lab.errors import ConfigError
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
class Recommendation(Base):
    """Recommenders are fitted to a log of items that users took, drawn or real, and rank the candidates for the next
    one. Seeds have logs of their own; those of a real log differ in initial weights, batches and candidates."""

    GROUPS: ClassVar = {"task": "items", "data": None}
    FIGURE: ClassVar = "recommend"
    TINY: ClassVar = ["experiment=recommend", "task.num_context=5", "task.num_items=12", "task.taste_dim=2",
                      "model.width=8", "model.num_layers=1", "model.mlp_width=8", "model.context_width=4",
                      "train.steps=3", "train.batch_size=8", "users=40", "test_users=30", "negatives=5", "seeds=2",
                      "chunk=16", "splits=[leave_one_out,global_time]"]  # fmt: skip

    task: Parameters | None = None  # that draws the log of each seed
    data: ItemData | None = None  # a log of real users, in place of a task
    model: SequenceModel = field(default_factory=SequenceModel)
    train: ItemTraining = field(default_factory=ItemTraining)
    users: int = at_least_two(4000)  # of a log that is drawn
    test_users: int = at_least_two(2000)  # of all at most
    splits: list[Split] = field(default_factory=lambda: [Split.leave_one_out])
    test_share: float = field(default=0.2, metadata=PROBABILITY)  # of all items, that come after the moment of a split
    negatives: int = positive(49)  # other candidates of a slate, any items alike
    smoothing: float = above_zero(20.0)  # of a Markov chain: transitions from every item as many as these are popular
    seeds: int = field(default=3, metadata={"at_least": 1, "at_most": 2**16})  # seed, seed + 1, ...
    chunk: int = field(default=250, metadata={"at_least": 1, "at_most": LARGEST, "not_hashed": True})  # users at a time

    def check(self) -> None:
        if (self.task is None) == (self.data is None):
            raise ConfigError("data: either a task draws the log (task=items) or a file has it (task=null data=NAME)")
        some_each_once("splits", self.splits)
        check_heads(self.model)

    def fill_in(self) -> None:
        """Set the checksum of a log that is read."""
        from tasks.logs.catalogue import ITEM_READERS

        if self.data is not None:
            ITEM_READERS[self.data.name].fill_in(self.data)
