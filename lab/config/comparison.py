"""Everything that can be set, with its type, its default and what is allowed. No JAX here: `--help` is instant.

`run.py`'s keys are these fields. The experiments (`lab/config/conf/experiment/*.yaml`) are short files of differences.
"""

import dataclasses
from dataclasses import dataclass, field

from omegaconf import MISSING

from lab.config.choices import Features, Figure, Injection, Optimizer, Platform, Precision, Profile, Stage, Tracker
from tasks import settings as task_settings
from tasks.datasets import settings as datasets
from tasks.settings import above_zero, nonnegative, positive


@dataclass
class Model:
    """The linear self-attention Transformer."""

    num_layers: int = positive(1)
    num_heads: int = positive(1)
    recurrent: bool = True  # one block for all layers
    clip: float | None = field(default=None, metadata={"above": 0})  # bound on activations after each layer, for all
    injection: Injection = Injection.pooled  # documents enter K and V as their mean, or one row each
    features: Features = Features.inputs  # of the inputs, before the first layer
    hidden: int = positive(64)  # width of the MLP that makes them


@dataclass
class Train:
    steps: int = positive(2000)
    batch_size: int = positive(1024)
    optimizer: Optimizer = Optimizer.adam
    learning_rate: float = above_zero(0.001)
    warmup: float = field(default=0.05, metadata={"at_least": 0, "at_most": 1})  # share of the steps
    clip_norm: float = above_zero(1.0)  # of the whole gradient
    init_scale: float = above_zero(0.02)  # variance of the initial weights times the token width
    eval_every: int = positive(100)


@dataclass
class Eval:
    episodes: int = field(default=10_000, metadata={"at_least": 2, "at_most": 2**31 - 1})
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})  # of the validation episodes
    chunk: int = nonnegative(0)  # episodes measured at a time, where memory is short; 0: as many as fit


@dataclass
class GDPlusPlus:
    """The meta-training of GD++; its rates are relative to gradient descent's, of order one."""

    steps: int = positive(800)
    batch_size: int = positive(256)
    learning_rate: float = above_zero(0.05)
    shared: bool = True  # one eta and one gamma for all steps, else a pair each


@dataclass
class Baselines:
    """The learners that the Transformer is compared with."""

    line_search_episodes: int = positive(80_000)
    init_std: float = nonnegative(0.0)  # entries of gradient descent's W_0 ~ N(0, init_std^2)
    ridge_penalty: float = above_zero(1e-3)
    gd_plus_plus: GDPlusPlus = field(default_factory=GDPlusPlus)


@dataclass
class Shift:
    """Test distributions other than that of training, each evaluated for all learners (`tasks/shift.py`)."""

    alpha: list[float] = field(default_factory=list, metadata={"above": 0})  # scales of x
    teacher: list[float] = field(default_factory=list, metadata={"above": 0})  # factors of the teacher
    noise: list[float] = field(default_factory=list, metadata={"at_least": 0})  # deviations of noise on context targets
    law: list[task_settings.Law] = field(default_factory=list)  # of x
    num_context: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": 2**31 - 1})
    documents: bool = False  # scale them as alpha scales x


@dataclass
class Benchmark:
    """The speed of training at these values of one setting at a time; without any, a run is not a benchmark."""

    num_layers: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": 2**31 - 1})
    batch_size: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": 2**31 - 1})
    num_context: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": 2**31 - 1})
    input_dim: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": 2**31 - 1})
    population: list[int] = field(default_factory=list, metadata={"at_least": 1, "at_most": 2**31 - 1})
    examples: int = positive(2**19)  # of context in a batch, at most: longer contexts come in smaller batches
    seconds: float = above_zero(0.3)  # that a measurement takes, about
    rounds: int = positive(5)  # of measurements

    @property
    def axes(self) -> dict[str, list[int]]:
        """{setting: values} of those that have any."""
        return {
            f.name: values
            for f in dataclasses.fields(self)
            if isinstance(values := getattr(self, f.name), list) and values
        }


@dataclass
class Paper:
    """Experiments that are run one after the other, and a report of the whole; without any, a run is not a paper."""

    profile: Profile = Profile.quick
    quick: dict[str, list[str]] = field(default_factory=dict)  # experiment: overrides
    full: dict[str, list[str]] = field(default_factory=dict)

    @property
    def experiments(self) -> dict[str, list[str]]:
        """Those of the profile."""
        return getattr(self, self.profile.name)


@dataclass
class Population:
    seeds: int = positive(1)  # seed, seed + 1, ... trained together
    chunk: int = nonnegative(0)  # of a program's members, how many at a time, where memory is short; 0: all


@dataclass
class Sweep:
    """How several points are run; what is run are `parts` and `grid`."""

    fail_fast: bool = False  # stop at the first point that fails
    stage: Stage = Stage.all
    program: int = nonnegative(0)  # which one, where stage is train


@dataclass
class Checkpoint:
    """States of the training, from which the same command goes on after a kill."""

    every: float = nonnegative(10.0)  # seconds between them at least, and more where saving takes long


@dataclass
class Run:
    dir: str = "runs"
    force: bool = False  # run again although the same configuration is done


@dataclass
class Device:
    require: Platform = Platform.none
    precision: Precision = Precision.highest
    population: int = nonnegative(0)  # devices over which the population is split; 0: as many as divide it
    episodes: int = nonnegative(0)  # devices over which each member's batch is split; 0: those that are left


@dataclass
class Hosts:
    """Several processes, each with devices of its own, that train one population together."""

    auto: bool = False  # they find one another by what the cluster (Slurm, Open MPI, TPU, ...) tells them
    coordinator: str = ""  # HOST:PORT of the first, where no cluster tells; empty: this process is alone
    processes: int = positive(1)  # how many
    process: int = nonnegative(0)  # which of them this is, from 0


@dataclass
class Config:
    name: str = ""  # of the experiment; empty: none was chosen
    seed: int = field(default=0, metadata={"at_least": 0, "at_most": 2**31 - 1})
    task: task_settings.Parameters = MISSING
    data: datasets.Data | None = None  # of task=tabular
    model: Model = field(default_factory=Model)
    train: Train = field(default_factory=Train)
    eval: Eval = field(default_factory=Eval)
    baselines: Baselines = field(default_factory=Baselines)
    shift: Shift = field(default_factory=Shift)
    population: Population = field(default_factory=Population)
    benchmark: Benchmark = field(default_factory=Benchmark)
    paper: Paper = field(default_factory=Paper)
    figure: Figure = Figure.training
    parts: dict[str, list[str]] = field(default_factory=dict)  # name: overrides
    grid: list[str] = field(default_factory=list)  # KEY=VALUE,VALUE,...; a point is a part with a value of each KEY
    sweep: Sweep = field(default_factory=Sweep)
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    tracker: Tracker = Tracker.none
    run: Run = field(default_factory=Run)
    device: Device = field(default_factory=Device)
    hosts: Hosts = field(default_factory=Hosts)


TASKS = {schema.name: schema for schema in task_settings.ALL}
DATA = {schema.name: schema for schema in datasets.ALL}
