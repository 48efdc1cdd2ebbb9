"""Settings of `functions`: a decoder learns a class of functions in context, and is compared with other predictors.

All are measured after every number of examples. No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.choices import Baseline
from lab.config.decoder import FunctionsEval, FunctionsTrain, SmallModel, TrainsDecoder
from lab.errors import ConfigError
from tasks.settings import Parameters, RealFunctions, key, positive, several


def count(default: float, sentence: str, at_least: int):
    """Return a field for a whole number, whose type is float so that it is traced."""
    return key(default, sentence, at_least=at_least, at_most=LARGEST, traced=True, whole=True)


@dataclass
class CurriculumSettings:
    """A curriculum: training begins with few coordinates of the inputs and with short contexts [Garg22].

    The numbers are whole, but have the type float: so they are traced, and runs with different curricula train
    together.
    """

    every: float = count(0.0, "Steps between two increments; 0: there is no curriculum.", at_least=0)
    inputs: float = count(1.0, "Coordinates of the inputs that are not zero at the beginning.", at_least=1)
    examples: float = count(3.0, "Examples that count in the loss at the beginning.", at_least=1)
    more_inputs: float = count(1.0, "Coordinates that each increment adds.", at_least=0)
    more_examples: float = count(2.0, "Examples that each increment adds.", at_least=0)

    def check(self, task: Parameters) -> None:
        """Check that training does not begin with more than the task has.

        Raises:
            ConfigError: it does, or the task has no coordinates.
        """
        if not self.every:
            return
        if not isinstance(task, RealFunctions):
            raise ConfigError("curriculum.every: curricula are of real functions; leave it at 0")
        for first, begin, name, most in (
            ("inputs", self.inputs, "input_dim", task.input_dim),
            ("examples", self.examples, "num_context", task.num_context),
        ):
            if begin > most:
                raise ConfigError(
                    f"curriculum.{first}={begin:g}: must be <= task.{name}={most}, with which training ends"
                )


OF_LABELS = (Baseline.posterior,)  # baselines of labels; all others are of real functions


@dataclass
class Baselines:
    """Predictors that are fitted to the examples of each prompt, after each number of them."""

    names: list[Baseline] = key([], "Predictors that the decoder is compared with.", once=True)
    lasso_penalties: list[float] = several(
        [1.0, 0.1, 0.01, 0.001, 0.0001],
        "Penalties of the Lasso: after each number of examples the one that is best on other episodes is taken.",
        at_least=1e-9,
    )
    samples: int = positive(1000, "Samples of the posterior.")
    network_hidden: int = positive(64, "Hidden units of the network that is trained on each prompt.")
    network_steps: int = positive(200, "Steps of Adam of that network, at most; held-out examples may say how many.")
    network_learning_rates: list[float] = several(
        [0.01, 0.003, 0.03],
        "Learning rates of that network: after each number of examples one network is the best on other episodes.",
        at_least=1e-9,
    )
    episodes: int = key(
        200, "Test episodes on which the slow predictors are measured, the first ones.", at_least=2, at_most=LARGEST
    )
    every: int = positive(1, "Fit trees after 0, every, 2 every, ... examples only.")


@dataclass
class Functions(TrainsDecoder):
    """A decoder learns a class of functions; its error by the number of examples is compared with other predictors."""

    GROUPS: ClassVar = {"task": "linear"}
    FIRST: ClassVar = ["task", "seeds", "train.steps", "train.learning_rate",
                       "task.num_context", "task.input_dim", "task.noise", "model.num_layers",
                       "model.width", "baselines.names"]  # fmt: skip
    TINY: ClassVar = ["experiment=functions_linear", *smoke.FUNCTIONS, "seeds=2", "baselines.episodes=5",
                      "baselines.network_steps=3", "baselines.network_hidden=4"]  # fmt: skip

    model: SmallModel = field(default_factory=SmallModel)
    train: FunctionsTrain = field(default_factory=FunctionsTrain)
    curriculum: CurriculumSettings = field(default_factory=CurriculumSettings)
    eval: FunctionsEval = field(default_factory=FunctionsEval)
    baselines: Baselines = field(default_factory=Baselines, metadata={"after_training": True})

    def check(self) -> None:
        super().check()
        self.curriculum.check(self.task)
        allowed = [each.value for each in Baseline if (each in OF_LABELS) != isinstance(self.task, RealFunctions)]
        if wrong := [each.value for each in self.baselines.names if each.value not in allowed]:
            raise ConfigError(
                f"baselines.names: {', '.join(wrong)} cannot be fitted with task={self.task.name}; allowed: "
                f"{', '.join(allowed)}"
            )
