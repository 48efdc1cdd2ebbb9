"""Settings of `dti`: a decoder of click streams, trained on prompts of one or of many targets [DTI]. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from experiments.clicks.settings import StreamEval, StreamModel, StreamTrain
from lab.config import smoke
from lab.config.training import Population, TrainsTogether, number_of_seeds
from lab.errors import ConfigError
from tasks.settings import Clicks, Parameters, chosen


@dataclass
class Dti(TrainsTogether):
    """A decoder learns to predict clicks. At the end it is measured in two ways: on sliding windows, as it would be
    used, and on prompts like those of its training."""

    GROUPS: ClassVar = {"task": "clicks"}
    FIGURE: ClassVar = "dti_run"
    ERRORS: ClassVar = ("by resampling its test users", "")
    FIRST: ClassVar = ["seeds", "task.num_context", "task.num_targets", "task.change", "model.scheme",
                       "model.targets", "model.num_layers", "model.width", "train.steps", "eval.users"]  # fmt: skip
    TINY: ClassVar = ["experiment=click_stream", "task.num_context=2", "task.num_targets=5", "model.targets=2",
                      *smoke.WIDTHS, "model.num_layers=2", "model.scheme=dti", "train.steps=4",
                      "train.eval_every=2", "train.batch_size=2", "eval.users=14", "eval.block=6",
                      "seeds=2"]  # fmt: skip

    task: Parameters = chosen("The task that draws streams of clicks.")
    model: StreamModel = field(default_factory=StreamModel)
    train: StreamTrain = field(default_factory=StreamTrain)
    eval: StreamEval = field(default_factory=StreamEval)
    seeds: int = number_of_seeds(1)
    population: Population = field(default_factory=Population)

    def check(self) -> None:
        model = self.model
        if not isinstance(self.task, Clicks):
            raise ConfigError(f"task={self.task.name}: it has no clicks; allowed: clicks, ordered_clicks")
        if model.targets > self.task.num_targets:
            raise ConfigError(
                f"model.targets={model.targets}: a stream has task.num_targets={self.task.num_targets} of them"
            )
        model.check()
