"""Settings of `functions`: a decoder learns a class of functions in context, and is compared with other predictors.

All are measured after every number of examples. No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import LARGEST
from lab.config.choices import Baseline
from lab.config.decoder import TrainsDecoder
from lab.config.functions import FunctionsEval, FunctionsTrain, SmallModel, check_functions
from lab.config.lists import each_once
from lab.errors import ConfigError
from tasks.settings import Parameters, RealFunctions, above_zero, positive


def count(default: float, at_least: int):
    """Return a field for a whole number, whose type is float so that it is traced."""
    return field(default=default, metadata={"at_least": at_least, "at_most": LARGEST, "traced": True, "whole": True})


@dataclass
class CurriculumSettings:
    """A curriculum: training begins with few coordinates of the inputs and with short contexts [Garg22].

    The numbers are whole, but have the type float: so they are traced, and runs with different curricula train
    together.
    """

    every: float = count(0.0, at_least=0)  # steps between increments; 0: there is no curriculum
    inputs: float = count(1.0, at_least=1)  # coordinates that are not zero at the beginning
    examples: float = count(3.0, at_least=1)  # examples that count in the loss at the beginning
    more_inputs: float = count(1.0, at_least=0)  # added by each increment
    more_examples: float = count(2.0, at_least=0)  # added by each increment

    def check(self, task: Parameters) -> None:
        """Check that training does not begin with more than the task has.

        Raises:
            ConfigError: it does, or the task has no coordinates.
        """
        if not self.every:
            return
        if not isinstance(task, RealFunctions):
            raise ConfigError("curriculum.every: curricula are of real functions; leave it at 0")
        for key, begin, name, most in (
            ("inputs", self.inputs, "input_dim", task.input_dim),
            ("examples", self.examples, "num_context", task.num_context),
        ):
            if begin > most:
                raise ConfigError(
                    f"curriculum.{key}={begin:g}: must be <= task.{name}={most}, with which training ends"
                )


OF_LABELS = (Baseline.posterior,)  # baselines of labels; all others are of real functions


@dataclass
class Baselines:
    """Predictors that are fitted to the examples of each prompt, after each number of them."""

    names: list[Baseline] = field(default_factory=list)
    lasso_penalty: float = above_zero(0.01)
    samples: int = positive(1000)  # samples of the posterior
    network_hidden: int = positive(64)
    network_steps: int = positive(200)  # steps of Adam, each on all examples
    network_rate: float = above_zero(0.01)
    # The slow baselines are measured on so many of the episodes, the first ones.
    episodes: int = field(default=200, metadata={"at_least": 2, "at_most": LARGEST})
    every: int = positive(1)  # the trees, on the host, are fitted after 0, every, 2 every, ... examples only


@dataclass
class Functions(TrainsDecoder):
    """A decoder learns a class of functions; its error by the number of examples is compared with other predictors."""

    GROUPS: ClassVar = {"task": "linear"}
    FIGURE: ClassVar = "functions"
    TINY: ClassVar = ["experiment=functions_linear", *tiny.FUNCTIONS, "population.seeds=2", "baselines.episodes=5",
                      "baselines.network_steps=3", "baselines.network_hidden=4"]  # fmt: skip

    model: SmallModel = field(default_factory=SmallModel)
    train: FunctionsTrain = field(default_factory=FunctionsTrain)
    curriculum: CurriculumSettings = field(default_factory=CurriculumSettings)
    eval: FunctionsEval = field(default_factory=FunctionsEval)
    # Episodes of the measurement at the end.
    test_episodes: int = field(default=10_000, metadata={"at_least": 2, "at_most": LARGEST, "after_training": True})
    baselines: Baselines = field(default_factory=Baselines, metadata={"after_training": True})

    def check(self) -> None:
        super().check()
        check_functions(self)
        self.curriculum.check(self.task)
        names = [each.value for each in self.baselines.names]
        each_once("baselines.names", names)
        allowed = [each.value for each in Baseline if (each in OF_LABELS) != isinstance(self.task, RealFunctions)]
        if wrong := [name for name in names if name not in allowed]:
            raise ConfigError(
                f"baselines.names: {', '.join(wrong)} cannot be fitted with task={self.task.name}; allowed: "
                f"{', '.join(allowed)}"
            )
