"""Settings of `task_diversity`: a decoder learns a class of functions, of which training shows only a pool of M.

No JAX here: `--help` is instant.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.decoder import FunctionsTrain, SmallModel, TrainsDecoder
from lab.config.training import Eval
from lab.errors import ConfigError
from tasks.settings import key


@dataclass
class PoolSettings:
    """The pool of functions that training draws from. The run's seed determines the functions."""

    # Its type is float, so that it is traced, and pools of different sizes train together.
    size: float = key(16.0, "M, the number of functions in the pool.", at_least=1, traced=True, whole=True)
    largest: int = key(
        1024, "Upper bound on M; the exact answer computes with so many functions.", at_least=1, at_most=2**20
    )


@dataclass
class DiversityEval(Eval):
    """The test episodes, which are those of every evaluation."""

    episodes: int = key(1000, "Test episodes of each evaluation.", at_least=2, at_most=LARGEST)


@dataclass
class TaskDiversity(TrainsDecoder):
    """A decoder is trained on a pool of functions, and compared with two Bayes-optimal answers: the one for the pool,
    and the one for all functions of the class."""

    GROUPS: ClassVar = {"task": "linear"}
    FIGURE: ClassVar = "task_diversity_run"
    SWEEP_FIGURE: ClassVar = "task_diversity"
    FIRST: ClassVar = ["seeds", "pool.size", "pool.largest", "train.steps",
                       "train.learning_rate", "task.num_context", "task.input_dim", "task.noise",
                       "model.num_layers", "model.width"]  # fmt: skip
    TINY: ClassVar = ["experiment=task_diversity", *smoke.TRAINING, "eval.episodes=30", *smoke.WIDTHS,
                      "model.num_layers=1", "task.num_context=5", "task.input_dim=2", "seeds=2",
                      "pool.largest=16", "grid=['pool.size=2,16']"]  # fmt: skip

    pool: PoolSettings = field(default_factory=PoolSettings)
    model: SmallModel = field(default_factory=SmallModel)
    train: FunctionsTrain = field(default_factory=FunctionsTrain)
    eval: DiversityEval = field(default_factory=DiversityEval)

    def check(self) -> None:
        super().check()
        size, largest = self.pool.size, self.pool.largest
        if size > largest:
            raise ConfigError(f"pool.size={size:g}: must be <= pool.largest={largest}")
        if not getattr(self.task, "noise", 1) > 0:  # of a task without this key `check` of run.py names those allowed
            raise ConfigError("task.noise=0: the Bayes-optimal answer for a pool needs noise; give task.noise > 0")
