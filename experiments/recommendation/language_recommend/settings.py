"""Settings of `language_recommend`: a language model beside recommenders of a log. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from experiments.recommendation.recommend.settings import LogEval, Recommendation
from lab.config import smoke
from lab.config.language import ReadsModel
from lab.errors import ConfigError
from tasks.logs.settings import ItemData
from tasks.settings import PROBABILITY, at_least_two, key, positive


@dataclass
class FewUsers(LogEval):
    """The test users, each of whom the language model reads about anew."""

    users: int = at_least_two(60, "Most test users of each seed; of more, these are drawn.")


@dataclass
class WrittenDemonstrations:
    """A search for demonstrations whose titles the language model writes; it takes the place of other users' and of the
    own past."""

    rounds: int = key(0, "Rounds of the search; 0: none.", at_least=0, at_most=1000)
    paths: int = at_least_two(2, "Searches of each user, each with a memory of its own.")
    proposals: int = positive(2, "Titles that the model writes per round and path.")
    tokens: int = positive(16, "Most tokens of a title that is written.")
    temperature: float = key(1.0, "Of the draws of its words; 0: the likeliest word.", at_least=0, at_most=100)
    threshold: float = key(0.6, "Similarity of a memory with that of the round before: above it, it has collapsed.",
                           **PROBABILITY)  # fmt: skip


@dataclass
class LanguageRecommendation(ReadsModel, Recommendation):
    """A language model ranks candidates by the log-probability of their titles: without demonstrations, behind other
    users' demonstrations, and behind the user's own past, beside recommenders that are fitted to the log."""

    GROUPS: ClassVar = {"task": None, "data": "movielens_items"}
    FIRST: ClassVar = ["lm.path", "data", "data.path", "eval.users", "seeds", "past", "demonstrations", "negatives",
                       "splits", "train.steps"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_recommend", "lm.path=", smoke.listed("lm.words", smoke.LANGUAGE),
                      "data=item_csv", "data.path=log.csv", "data.user=user", "data.time=when", "data.item=category",
                      "data.fewest=1", "past=2", "demonstrations=2", "model.width=8", "model.num_layers=1",
                      "model.mlp_width=8", "model.context_width=4", "train.steps=3", "train.batch_size=8",
                      "eval.users=4", "negatives=2", "seeds=2"]  # fmt: skip

    data: ItemData | None = key(None, "A log of real users; the names of its items are read as titles.")
    eval: FewUsers = field(default_factory=FewUsers)
    written: WrittenDemonstrations = field(default_factory=WrittenDemonstrations)
    past: int = positive(5, "Items that are shown of a past, the latest ones.")
    demonstrations: int = positive(4, "Pasts with the item that came next, shown in front of a user's.")

    def check(self) -> None:
        if self.data is None or self.search.methods:
            raise ConfigError("data: language_recommend reads a log of titles, data=NAME, and searches nothing")
        super().check()

    def fill_in(self) -> None:
        self.fill_in_model()
        super().fill_in()
