"""The settings shared by all kinds that train decoders on classes of functions. No JAX here."""

from dataclasses import dataclass

from lab.config.base import LARGEST
from lab.config.choices import Optimizer
from lab.config.decoder import DecoderTrain, Model, TrainsDecoder
from lab.config.evaluation import Eval
from lab.errors import ConfigError
from tasks.settings import SparseLinear, key, positive


@dataclass
class SmallModel(Model):
    """The decoder; small, so that thousands of steps take minutes on a CPU."""

    width: int = positive(32)
    mlp_width: int = positive(64)
    instructions: int = key(1, at_least=0, at_most=LARGEST)


@dataclass
class FunctionsTrain(DecoderTrain):
    """The training of a decoder on a class of functions."""

    steps: int = positive(4000, "Steps of the optimiser.")
    optimizer: Optimizer | None = key(Optimizer.muon, "The optimiser; null: adam for one layer, muon for several.")
    learning_rate: float | None = key(0.01, "Largest learning rate; null: the optimiser's own.", above=0, traced=True)


@dataclass
class FunctionsEval(Eval):
    """The test episodes, and the episodes of evaluations during training."""

    episodes: int = key(10_000, "Test episodes of each seed.", at_least=2, at_most=LARGEST, after_training=True)
    episodes_in_training: int = key(
        2000, "Test episodes of each evaluation during training.", at_least=2, at_most=LARGEST
    )

    @property
    def in_training(self) -> int:
        return self.episodes_in_training


def check_functions(settings: TrainsDecoder) -> None:
    """Check the settings of a class of functions.

    Raises:
        ConfigError: an input has fewer coordinates than should be nonzero.
    """
    task = settings.task
    if isinstance(task, SparseLinear) and task.nonzero > task.input_dim:
        raise ConfigError(f"task.nonzero={task.nonzero}: at most task.input_dim={task.input_dim}")
