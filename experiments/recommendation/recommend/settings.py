"""Settings of `recommend`: recommenders predict which item a user takes next. No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base
from lab.config.choices import SearchMethod, Split
from lab.config.decoder import DecoderShape
from lab.config.recommender import Search
from lab.config.training import Training, number_of_seeds
from lab.errors import ConfigError
from tasks.logs.settings import ItemData
from tasks.settings import PROBABILITY, Parameters, above_zero, at_least_two, key, positive, several


@dataclass
class SequenceModel(DecoderShape):
    """The decoder; each of its heads has keys and values of its own. The recurrent network has the same width."""

    num_layers: int = key(2, at_least=1, at_most=64)
    width: int = positive(48, "D, the width of a token, and of the recurrent network.")
    num_heads: int = positive(2)
    mlp_width: int = positive(192)
    context_width: int = positive(24, "Width of the items' vectors in learners that descend in context.")


@dataclass
class ItemTraining(Training):
    """The training of the decoder and of the other learners."""

    steps: int = positive(800, "Steps of the optimiser.")
    learning_rate: float | None = key(0.01, "Largest learning rate; null: the optimiser's own.", above=0)


@dataclass
class LogEval:
    """The test users."""

    users: int = at_least_two(2000, "Most test users of each seed; of more, these are drawn.")
    chunk: int = key(250, "Users measured at a time.", at_least=1, at_most=LARGEST, not_hashed=True)


@dataclass
class DemonstrationSearch(Search):
    """Searches in the past of each test user for demonstrations, from which gradient descent in context answers."""

    methods: list[SearchMethod] = key([], "Searches that are compared with the recommenders; [] for none.", once=True)
    validation: int = positive(5, "The user's latest demonstrations, by which sets are scored.")


@dataclass
class Recommendation(Base):
    """Recommenders are fitted to a log of the items that users took, random or real, and rank candidates for the next
    item. Each seed has a random log of its own; with a real log, seeds differ in initial weights, batches and
    candidates."""

    GROUPS: ClassVar = {"task": "items", "data": None}
    ERRORS: ClassVar = ("over its test users", "over the test users")
    FIRST: ClassVar = ["seeds", "data", "splits", "negatives", "users", "eval.users", "task.num_items",
                       "task.num_context", "model.width", "train.steps"]  # fmt: skip
    TINY: ClassVar = ["experiment=recommend", "task.num_context=5", "task.num_items=12", "task.taste_dim=2",
                      "model.width=8", "model.num_layers=1", "model.mlp_width=8", "model.context_width=4",
                      "train.steps=3", "train.batch_size=8", "users=40", "eval.users=30", "negatives=5", "seeds=2",
                      "eval.chunk=16", "splits=[leave_one_out,global_time]"]  # fmt: skip

    task: Parameters | None = key(None, "The task that draws the log of each seed; null with data=NAME.")
    data: ItemData | None = key(None, "A log of real users, in place of a task.")
    model: SequenceModel = field(default_factory=SequenceModel)
    train: ItemTraining = field(default_factory=ItemTraining)
    users: int = at_least_two(4000, "Users of a random log.")
    eval: LogEval = field(default_factory=LogEval)
    splits: list[Split] = several([Split.leave_one_out], "Ways to split the log into training and test.")
    test_share: float = key(0.2, "Share of all items that the split by time tests.", **PROBABILITY)
    negatives: int = positive(49, "Further candidates of a query, drawn from all items alike.")
    search: DemonstrationSearch = field(default_factory=DemonstrationSearch)
    smoothing: float = above_zero(20.0, "Transitions added to the Markov chain from every item, by popularity.")
    seeds: int = number_of_seeds(3)

    def check(self) -> None:
        if (self.task is None) == (self.data is None):
            raise ConfigError("data: either a task draws the log (task=items) or a file has it (task=null data=NAME)")
        if self.task is not None and self.eval.users > max(self.users, LogEval.users):
            raise ConfigError(f"eval.users={self.eval.users}: must be <= users={self.users}, the users of the log")
        if self.search.methods:
            self._check_search()
        self.model.check()

    def _check_search(self) -> None:
        """Check that every test user has a past of the same length, with a pool of enough demonstrations."""
        if self.task is None or self.splits != [Split.leave_one_out]:
            raise ConfigError("search.methods: only with a task and splits=[leave_one_out]")
        most = self.task.num_context - 3
        if self.search.validation > most:
            raise ConfigError(f"search.validation={self.search.validation}: must be <= {most}, task.num_context - 3")
        pool = self.task.num_context - 1 - self.search.validation
        if 2 * self.search.examples > pool:
            raise ConfigError(f"search.examples={self.search.examples}: twice as many must be in the pool of {pool}")

    def fill_in(self) -> None:
        """Set the checksum of a log that is read."""
        from tasks.logs.catalogue import ITEM_READERS

        if self.data is not None:
            ITEM_READERS[self.data.name].fill_in(self.data)
