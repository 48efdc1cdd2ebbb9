"""Settings of `dti_language`: a language model learns the clicks of a log by low-rank factors [DTI]. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.choices import StreamScheme
from lab.config.language import ReadsModel
from lab.config.training import first_seed, number_of_seeds
from lab.errors import ConfigError
from tasks.logs.settings import LogData
from tasks.settings import above_zero, chosen, key, positive, several

SCHEMES = (StreamScheme.naive, StreamScheme.no_id, StreamScheme.local, StreamScheme.split, StreamScheme.full)


@dataclass
class PromptText:
    """The prompts, in words of the language model."""

    scheme: StreamScheme = key(StreamScheme.naive, "Masks and positions in a prompt of several targets; no reset.")
    targets: int = positive(10, "k, the targets of a training prompt; 1: a sliding window.")
    num_context: int = positive(10, "n, the earlier interactions from which a target is answered.")
    columns: list[str] = key([], "Columns of the log that are read as text, in its order; empty: all but the item's.")
    longest: int = positive(12, "Most tokens of the model of an interaction's text, the first ones.")
    labels: list[str] = key([" no", " yes"], "Words of labels 0 and 1, one token each.")
    summary: str = key(":", "The word of a [SUM], one token.")


@dataclass
class Lora:
    """The low-rank factors, which alone are trained (Hu et al. 2021)."""

    rank: int = positive(8, "r, the rank of the factors' product.")
    alpha: float = above_zero(16.0, "alpha: the product counts alpha / r times.")
    projections: list[str] = several(["q", "k", "v", "o", "up", "gate", "down"], "Projections that have factors.")


@dataclass
class LoraTrain:
    """The training of the factors, by AdamW."""

    steps: int = positive(200, "Steps of the optimiser.")
    batch_size: int = positive(5, "Prompts per step.")
    learning_rate: float = above_zero(0.0003, "Largest learning rate.")
    warmup: float = key(0.1, "Share of the steps in which the learning rate rises.", at_least=0, at_most=1)
    clip_norm: float = above_zero(1.0, "Bound on the norm of the whole gradient.")
    eval_every: int = positive(20, "Steps between two evaluations, after which the training can go on.")


@dataclass
class FewTargets:
    """The targets that are answered, of all users who have some: each user's first of a split."""

    validation: int = positive(1, "Most validation targets of a user.")
    test: int = positive(6, "Most test targets of a user.")
    baseline: int = positive(100_000, "Training targets that the logistic regression is fitted to.")


@dataclass
class LanguageClicks(ReadsModel):
    """A language model learns by low-rank factors to predict the clicks of a log, whose interactions it reads as text.
    It is tested on sliding windows, as it would be used, and on prompts like those of its training."""

    GROUPS: ClassVar = {"data": "movielens"}
    ERRORS: ClassVar = (
        "by resampling the users of the test",
        "by resampling the users of the test, whom all seeds share",
    )
    FIRST: ClassVar = ["lm.path", "data", "data.path", "seeds", "train.steps", "train.batch_size", "prompt.scheme",
                       "prompt.targets", "lora.rank"]  # fmt: skip
    TINY: ClassVar = ["experiment=dti_language", smoke.listed("lm.words", smoke.LANGUAGE), "data=click_csv",
                      "data.path=log.csv", "data.user=user", "data.time=when", "data.label=clicked",
                      "data.features=[category,brand]", "data.item=brand", "data.cache=cache", "prompt.num_context=3",
                      "prompt.targets=4", "train.steps=4", "train.eval_every=2", "seeds=2"]  # fmt: skip

    seed: int = first_seed()
    data: LogData = chosen("The log of interactions.")
    prompt: PromptText = field(default_factory=PromptText)
    lora: Lora = field(default_factory=Lora)
    train: LoraTrain = field(default_factory=LoraTrain)
    eval: FewTargets = field(default_factory=FewTargets)
    seeds: int = number_of_seeds(1)

    def check(self) -> None:
        if self.prompt.scheme not in SCHEMES:
            allowed = ", ".join(each.value for each in SCHEMES)
            raise ConfigError(f"prompt.scheme={self.prompt.scheme.value}: a language model reads by {allowed}")
        if len(self.prompt.labels) != 2:
            raise ConfigError("prompt.labels: two words, of labels 0 and 1")

    def fill_in(self) -> None:
        from tasks.logs.catalogue import READERS

        self.fill_in_model()
        READERS[self.data.name].fill_in(self.data)
