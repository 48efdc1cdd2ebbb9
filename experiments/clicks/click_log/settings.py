"""Settings of `click_log`: a decoder of click streams is trained on a log of real interactions [DTI]. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from experiments.clicks.settings import StreamModel, StreamTrain
from lab.config import smoke
from lab.config.base import Base, marked
from lab.config.training import Population, first_seed, number_of_seeds
from lab.errors import ConfigError
from tasks.logs.settings import LogData
from tasks.settings import chosen, key, positive


@dataclass
class LogModel(StreamModel):
    """The decoder and its prompts."""

    num_context: int = positive(10, "n, the earlier interactions from which a target is answered.")


@dataclass
class LogTrain(StreamTrain):
    """The training of the decoder."""

    epochs: float | None = key(
        None, "Passes over the training prompts, in place of train.steps.", above=0, at_most=1000
    )
    batch_size: int = positive(10, "Prompts per step.")
    # Share of the training tokens that are replaced by their column's token for unknown values, so that it is learned.
    unknown: float = key(
        0.01,
        "Share of training tokens replaced by their column's token for unknown values.",
        at_least=0,
        at_most=0.5,
        traced=True,
    )


@dataclass
class LogEval:
    """The targets of the validation, and those that the logistic regression is fitted to."""

    targets: int = positive(5000, "Most targets of a validation; the test at the end takes its whole split.")
    baseline: int = marked(
        positive(100_000, "Training targets that the logistic regression is fitted to."), after_training=True
    )


@dataclass
class ClickLogRun(Base):
    """A decoder learns to predict the clicks of a log. It is validated during training and tested at its end, both on
    sliding windows, as it would be used, and on prompts like those of its training."""

    GROUPS: ClassVar = {"data": "movielens"}
    ERRORS: ClassVar = (
        "by resampling the users of the test",
        "by resampling the users of the test, whom all seeds share",
    )
    FIRST: ClassVar = ["data", "data.path", "seeds", "train.steps", "train.epochs", "train.batch_size",
                       "model.scheme", "model.targets", "model.num_layers", "model.width"]  # fmt: skip
    TINY: ClassVar = ["experiment=click_log", "data=click_csv", "data.path=log.csv", "data.user=user", "data.time=when",
                      "data.label=clicked", "data.features=[category,brand]", "data.cache=cache",
                      "model.num_context=3", "model.targets=4", *smoke.WIDTHS, "model.num_layers=2", "train.steps=6",
                      "train.eval_every=2", "train.batch_size=5", "train.unknown=0.1", "eval.targets=20",
                      "seeds=2"]  # fmt: skip

    seed: int = first_seed()
    data: LogData = chosen("The log of interactions.")
    model: LogModel = field(default_factory=LogModel)
    train: LogTrain = field(default_factory=LogTrain)
    eval: LogEval = field(default_factory=LogEval)
    seeds: int = number_of_seeds(1)
    population: Population = field(default_factory=Population)

    def check(self) -> None:
        self.model.check()
        if self.population.chunk:
            raise ConfigError("population.chunk: the seeds of a log train side by side; leave it out")

    def fill_in(self) -> None:
        """Set the checksum of the log and, if the training is given in epochs, its number of steps."""
        from experiments.clicks.click_log.prompts import Prompts
        from tasks.logs.catalogue import READERS

        READERS[self.data.name].fill_in(self.data)
        if self.train.epochs is not None:
            log = READERS[self.data.name].read(self.data)
            prompts = len(Prompts(log, "train", self.model.num_context, self.model.targets))
            self.train.steps = max(1, round(self.train.epochs * prompts / self.train.batch_size))
