"""Settings of `dti`: a decoder of click streams, trained on prompts of one or of many targets [DTI]. No JAX here."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import ClassVar

from omegaconf import MISSING

from lab.config.base import LARGEST, Base, marked
from lab.config.choices import Optimizer, Position, StreamScheme
from lab.config.comparison import Eval, Population, Train
from lab.config.heads import check_heads
from lab.config.identity import program_key
from lab.errors import ConfigError
from tasks.settings import Clicks, Parameters, above_zero, at_least_two, nonnegative, positive


@dataclass
class StreamModel:
    """The decoder, and what its prompts are."""

    num_layers: int = field(default=3, metadata={"at_least": 1, "at_most": 64})
    width: int = positive(32)  # D
    num_heads: int = positive(4)
    mlp_width: int = positive(128)
    positions: Position = Position.rope
    scheme: StreamScheme = StreamScheme.naive  # how it sees a prompt of several targets
    targets: int = positive(50)  # k, of a training prompt; 1: a sliding window
    ymin: float = field(default=0.0, metadata={"at_least": 0, "at_most": 1, "traced": True})  # of a reset
    ymax: float = field(default=1.0, metadata={"at_least": 0, "at_most": 1, "traced": True})
    # Interactions of a block of banded attention; 0: one block of all; null: whichever is faster for these prompts.
    block: int | None = field(default=None, metadata={"at_least": 0, "at_most": LARGEST})

    def check(self) -> None:
        check_heads(self, "model.positions=rope" if self.positions is Position.rope else "")
        if self.ymin > self.ymax:
            raise ConfigError(f"model.ymin={self.ymin:g}: at most model.ymax={self.ymax:g}")


@dataclass
class StreamTrain(Train):
    steps: int = positive(1200)
    batch_size: int = positive(10)  # users
    optimizer: Optimizer | None = Optimizer.adamw
    learning_rate: float | None = field(default=0.004, metadata={"above": 0, "traced": True})
    init_scale: float = marked(above_zero(1.0), traced=True)  # variance of initial weights times their fan-in
    eval_every: int = positive(300)


@dataclass
class StreamEval(Eval):
    episodes: int = at_least_two(800)  # users
    block: int = field(
        default=100, metadata={"at_least": 2, "at_most": 10_000}
    )  # users that are drawn at a time; one block in training
    # Users that are measured at a time. On two EPYC cores 5 take 2.5 s where as many as fit the memory take 3.8.
    chunk: int = marked(nonnegative(5), not_hashed=True)


@dataclass
class Dti(Base):
    """A decoder learns to predict clicks. At the end it is measured on sliding windows, as it would be used, and on the
    prompts that it was trained on."""

    GROUPS: ClassVar = {"task": "clicks"}
    FIGURE: ClassVar = "dti_run"

    seed: int = field(default=0, metadata={"at_least": 0, "at_most": LARGEST, "traced": True})
    task: Parameters = MISSING
    model: StreamModel = field(default_factory=StreamModel)
    train: StreamTrain = field(default_factory=StreamTrain)
    eval: StreamEval = field(default_factory=StreamEval)
    population: Population = field(default_factory=Population)

    def together(self) -> Hashable:
        """Points that differ in traced numbers alone train as one population."""
        return program_key(self)

    def check(self) -> None:
        model = self.model
        if not isinstance(self.task, Clicks):
            raise ConfigError(f"task={self.task.name}: it has no clicks; allowed: clicks, ordered_clicks")
        if model.targets > self.task.num_targets:
            raise ConfigError(
                f"model.targets={model.targets}: a stream has task.num_targets={self.task.num_targets} of them"
            )
        model.check()
