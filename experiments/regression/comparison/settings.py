"""Settings of `comparison`: a Transformer is meta-trained and compared with gradient descent and other learners."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST, marked
from lab.config.choices import Features
from lab.config.stack import Model
from lab.config.training import Eval, Population, Train, TrainsTogether, number_of_seeds
from lab.errors import ConfigError
from tasks.datasets.settings import Csv, Data
from tasks.settings import MODERATE, Law, Parameters, Tabular, above_zero, chosen, key, nonnegative, positive


@dataclass
class GDPlusPlus:
    """The meta-training of GD++. What it trains are factors of gradient descent's rate, of order one."""

    steps: int = positive(800, "Steps of the optimiser.")
    batch_size: int = positive(256, "Episodes per step.")
    learning_rate: float = marked(above_zero(0.05, "Largest learning rate."), traced=True)
    shared: bool = key(True, "Use one eta and one gamma for all steps, and not a pair per step.")


@dataclass
class Baselines:
    """The learners that the Transformer is compared with."""

    # Episodes on which gradient descent's rate is searched; at most 10,000 of them for features that are trained.
    line_search_episodes: int = positive(80_000, "Episodes on which gradient descent's rate is searched.")
    init_std: float = marked(
        nonnegative(0.0, "Standard deviation of the entries of gradient descent's W_0."), traced=True
    )
    ridge_penalty: float = marked(above_zero(1e-3, "Penalty of ridge regression."), traced=True, after_training=True)
    gd_plus_plus: GDPlusPlus = field(default_factory=GDPlusPlus)
    heavy_ball: bool = key(False, "Compare with gradient descent with momentum, meta-trained like GD++.")
    higher_order: bool = key(False, "Compare with preconditioned descent, Newton's method and GD++ that reads targets.")


@dataclass
class Shift:
    """Test distributions that differ from that of training (`tasks/shift.py`); on each all learners are evaluated."""

    alpha: list[float] = key([], "Scales of the inputs x.", **MODERATE)
    teacher: list[float] = key([], "Factors of the teacher.", **MODERATE)
    noise: list[float] = key(
        [], "Standard deviations of noise on the targets of the context.", at_least=0, at_most=MODERATE["at_most"]
    )
    law: list[Law] = key([], "Distributions of the inputs x.")
    num_context: list[int] = key([], "Numbers of examples in the context.", at_least=1, at_most=LARGEST)
    documents: bool = key(False, "Scale the documents as well by the values of shift.alpha.")


@dataclass
class Comparison(TrainsTogether):
    """A Transformer is meta-trained on a regression task and compared with gradient descent and other learners."""

    GROUPS: ClassVar = {"task": "plain", "data": None}
    FIGURE: ClassVar = "training"
    ERRORS: ClassVar = ("over its test episodes (of a table: over its test rows)", "over the test rows of the table")
    SWEEP_FIGURE: ClassVar = "sweep"
    FIRST: ClassVar = ["task", "seeds", "train.steps", "train.learning_rate",
                       "model.num_layers", "model.layer", "task.num_context", "task.input_dim",
                       "task.num_documents", "shift.alpha"]  # fmt: skip
    TINY: ClassVar = ["experiment=rag_dot", "seeds=2", *smoke.COMPARISON]

    task: Parameters = chosen("The regression task.")
    data: Data | None = key(None, "The table of task=tabular; null for other tasks.")
    model: Model = field(default_factory=Model)
    train: Train = field(default_factory=Train)
    eval: Eval = field(default_factory=Eval)
    baselines: Baselines = field(default_factory=Baselines)
    learners: list[str] = key([], "Learners of your own; those with parameters are trained too.", once=True)
    shift: Shift = field(default_factory=Shift, metadata={"after_training": True})
    seeds: int = number_of_seeds(1)
    population: Population = field(default_factory=Population)

    def check(self) -> None:
        if self.model.clip is not None:
            if self.baselines.init_std > 0:
                raise ConfigError("model.clip is defined for gradient descent from zero: it needs baselines.init_std=0")
            for key_name, method in (("heavy_ball", "heavy-ball descent"), ("higher_order", "Newton's method")):
                if getattr(self.baselines, key_name):
                    raise ConfigError(f"model.clip is not defined for {method}: it needs baselines.{key_name}=false")
        if self.model.features is not Features.inputs and self.baselines.init_std > 0:
            raise ConfigError(
                f"model.features={self.model.features.name}: gradient descent on them is from zero, "
                "so it needs baselines.init_std=0"
            )
        self.model.check()
        if self.model.interleaved:
            self._check_interleaved()
        tabular = isinstance(self.task, Tabular)
        if tabular != (self.data is not None):
            why = "needs a data set" if tabular else "has no use for one"
            raise ConfigError(f"data: task={self.task.name} {why}; choose it with task=tabular data=NAME")
        if tabular and self.shift != Shift():
            raise ConfigError("shift: a table has no other distribution than its own; leave shift.* out")

    def _check_interleaved(self) -> None:
        if self.model.features is not Features.inputs:
            raise ConfigError(
                f"model.features={self.model.features.name}: interleaved tokens show inputs as they are; "
                "choose model.features=inputs"
            )
        if self.baselines.init_std > 0:
            raise ConfigError(
                f"baselines.init_std={self.baselines.init_std}: a query among interleaved tokens shows no first "
                "prediction; must be 0 with model.layout=interleaved"
            )
        if self.model.clip is not None:
            raise ConfigError(f"model.clip={self.model.clip}: must be null with model.layout=interleaved")
        if self.shift.num_context:
            raise ConfigError(
                "shift.num_context: with model.layout=interleaved there are positions for task.num_context examples "
                "alone; leave it out"
            )

    def fill_in(self) -> None:
        if isinstance(self.data, Csv):
            from tasks.datasets import own  # only here, as it takes NumPy

            own.fill_in(self.data)
