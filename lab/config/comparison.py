"""Settings of `comparison`: Transformers are meta-trained and compared with gradient descent and other learners."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import LARGEST, Base, marked
from lab.config.choices import AttentionKind, Features, Injection, LayerKind, Optimizer, SequenceKind
from lab.config.identity import program_key
from lab.config.lists import each_once
from lab.errors import ConfigError
from tasks.datasets import own
from tasks.datasets.settings import Csv, Data
from tasks.settings import MODERATE, Law, Parameters, Tabular, above_zero, at_least_two, nonnegative, positive


@dataclass
class Model:
    """The self-attention Transformer."""

    num_layers: int = field(default=1, metadata={"at_least": 1, "at_most": 64})  # each is compiled: 64 take minutes
    num_heads: int = positive(1)
    recurrent: bool = True  # one block for all layers
    clip: float | None = field(default=None, metadata={"above": 0})  # bound on activations after each layer, for all
    layout: SequenceKind = SequenceKind.merged  # interleaved: x, then y, with positions, and one more layer in front
    first: AttentionKind = AttentionKind.softmax  # attention of that layer
    injection: Injection = Injection.pooled  # documents enter K and V as their mean, or one row each
    features: Features = Features.inputs  # of the inputs, before the first layer
    hidden: int = positive(64)  # width of the MLP that makes them
    layer: LayerKind = LayerKind.linear
    # How many, of features=mlp; null: as many as inputs.
    num_features: int | None = field(default=None, metadata={"at_least": 1, "at_most": LARGEST})

    @property
    def interleaved(self) -> bool:
        """Whether inputs and answers are tokens of their own, which a layer in front of the others has to merge."""
        return self.layout is SequenceKind.interleaved

    def check(self) -> None:
        """
        Raises:
            ConfigError: a number of features, of features that are not an MLP's alone.
        """
        if self.num_features is not None and self.features is not Features.mlp:
            raise ConfigError(
                f"model.num_features={self.num_features}: of features that an MLP makes alone, so it needs "
                "model.features=mlp"
            )
        if self.interleaved and self.layer is not LayerKind.linear:
            raise ConfigError(
                f"model.layer={self.layer.name}: of merged tokens; with model.layout=interleaved leave it out"
            )


@dataclass
class Train:
    steps: int = positive(2000)
    batch_size: int = positive(1024)
    optimizer: Optimizer | None = None  # null: adam for one layer, muon for several
    learning_rate: float | None = field(default=None, metadata={"above": 0, "traced": True})  # null: the optimizer's
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = marked(above_zero(1.0), traced=True)  # of the whole gradient
    init_scale: float = marked(above_zero(0.02), traced=True)  # variance of initial weights times the token width
    eval_every: int = positive(100)  # steps; and at a half, a quarter ... of the first so many (`trainers.loop`)


@dataclass
class Eval:
    episodes: int = at_least_two(10_000)
    # Of the test episodes: those of a run are drawn from the sum of this and its seed.
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST, "traced": True})
    chunk: int = marked(nonnegative(0), not_hashed=True)  # measured at a time; 0: all that fit


@dataclass
class GDPlusPlus:
    """The meta-training of GD++; its rates are relative to gradient descent's, of order one."""

    steps: int = positive(800)
    batch_size: int = positive(256)
    learning_rate: float = marked(above_zero(0.05), traced=True)
    shared: bool = True  # one eta and one gamma for all steps, else a pair each


@dataclass
class Baselines:
    """The learners that the Transformer is compared with."""

    line_search_episodes: int = positive(80_000)  # at most 10,000 for features that change in training
    init_std: float = marked(nonnegative(0.0), traced=True)  # entries of gradient descent's W_0 ~ N(0, init_std^2)
    ridge_penalty: float = marked(above_zero(1e-3), traced=True, after_training=True)
    gd_plus_plus: GDPlusPlus = field(default_factory=GDPlusPlus)
    heavy_ball: bool = False  # gradient descent with momentum, meta-trained as GD++ is


@dataclass
class Shift:
    """Test distributions other than that of training, each evaluated for all learners (`tasks/shift.py`)."""

    alpha: list[float] = field(default_factory=list, metadata=MODERATE)  # scales of x
    teacher: list[float] = field(default_factory=list, metadata=MODERATE)  # factors of the teacher
    # Deviations of noise on context targets.
    noise: list[float] = field(default_factory=list, metadata={"at_least": 0, "at_most": MODERATE["at_most"]})
    law: list[Law] = field(default_factory=list)  # distribution of x
    num_context: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": LARGEST})
    documents: bool = False  # scale them as alpha scales x


@dataclass
class Population:
    seeds: int = field(default=1, metadata={"at_least": 1, "at_most": 2**16})  # seed, seed + 1, ... trained together
    chunk: int = marked(nonnegative(0), not_hashed=True)  # members trained at a time; 0: all


@dataclass
class Comparison(Base):
    GROUPS: ClassVar = {"task": "plain", "data": None}
    FIGURE: ClassVar = "training"
    SWEEP_FIGURE: ClassVar = "sweep"

    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST, "traced": True})
    task: Parameters = MISSING
    data: Data | None = None  # of task=tabular
    model: Model = field(default_factory=Model)
    train: Train = field(default_factory=Train)
    eval: Eval = field(default_factory=Eval)
    baselines: Baselines = field(default_factory=Baselines)
    learners: list[str] = field(default_factory=list)  # of your own; those that have parameters are trained too
    shift: Shift = field(default_factory=Shift, metadata={"after_training": True})
    population: Population = field(default_factory=Population)

    def together(self) -> Hashable:
        """Points that differ in traced numbers alone train as one population."""
        return program_key(self)

    def check(self) -> None:
        each_once("learners", self.learners)
        if self.model.clip is not None and self.baselines.init_std > 0:
            raise ConfigError("model.clip is defined for gradient descent from zero: it needs baselines.init_std=0")
        if self.model.clip is not None and self.baselines.heavy_ball:
            raise ConfigError("model.clip is not defined for heavy-ball descent: it needs baselines.heavy_ball=false")
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
            own.fill_in(self.data)
