"""What can be set of the experiment `softmax_dual`. No JAX here: `--help` is instant."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import Base
from lab.config.lists import each_once, some_each_once
from lab.config.trained import Trained
from lab.errors import ConfigError
from tasks.settings import at_least_two, positive

COUNTS = {"at_least": 2, "at_most": 2**16}  # of features
NORMS = {"above": 0, "at_most": 10}  # exp(q . k) of longer vectors is nothing but its largest term


@dataclass
class Errors:
    """One attention output with its kernel estimated by random features, against the exact one."""

    features: list[int] = field(default_factory=lambda: [16, 64, 256, 1024, 4096], metadata=COUNTS)  # F
    norms: list[float] = field(default_factory=lambda: [0.5, 1.0, 1.5, 2.0, 3.0], metadata=NORMS)  # of queries, keys
    width: int = positive(8)  # A, of queries, keys and values
    tokens: int = positive(20)  # S, attended to
    problems: int = positive(64)  # per seed


@dataclass
class Path:
    """The output as demonstrations are added one by one, each a step of gradient descent (figure 8 of LRGD)."""

    features: int = field(default=100, metadata=COUNTS)  # F
    width: int = positive(11)  # A, of queries and keys: LRGD's d_i
    output_dim: int = positive(1)  # C, of values: LRGD's d_o
    instructions: int = positive(15)  # tokens of the initial model: LRGD's N_T
    demonstrations: int = positive(15)  # tokens that are learned: LRGD's N_D
    problems: int = at_least_two(64)  # per seed


@dataclass
class Variances:
    """Estimates of one kernel value, against the formulas of their variances."""

    draws: int = field(default=400_000, metadata={"at_least": 2, "at_most": 2**24})  # per seed
    norms: list[float] = field(default_factory=lambda: [0.5, 1.0], metadata=NORMS)
    cosines: list[float] = field(default_factory=lambda: [-0.5, 0.0, 0.5], metadata={"at_least": -1, "at_most": 1})


@dataclass
class Replaced:
    """Trained decoders with every attention replaced by its form in random features."""

    features: list[int] = field(default_factory=lambda: [100, 256, 1024, 4096], metadata=COUNTS)  # F; empty: left out
    episodes: int = positive(16)  # per decoder


@dataclass
class SoftmaxDual(Base):
    """Softmax attention as gradient descent on random features of its kernel: how many features it takes."""

    FIGURE: ClassVar = "softmax_dual"
    TINY: ClassVar = ["experiment=softmax_dual", "seeds=2", "errors.features=[256,512]", "errors.norms=[0.5]",
                      "errors.problems=4", "path.problems=3", "path.features=8", "variances.draws=50",
                      "variances.norms=[0.5]", "variances.cosines=[0.5]", "replaced.features=[100]",
                      "replaced.episodes=2", *tiny.trained(tiny.DECODER)]  # fmt: skip

    seeds: int = positive(8)  # seed, seed + 1, ...: each has frequencies and problems of its own
    errors: Errors = field(default_factory=Errors)
    path: Path = field(default_factory=Path)
    variances: Variances = field(default_factory=Variances)
    replaced: Replaced = field(default_factory=Replaced)
    model: Trained = field(default_factory=Trained)

    def inputs(self) -> list[list[str]]:
        return [self.model.command] if self.replaced.features else []

    def check(self) -> None:
        lists = {
            "errors.features": self.errors.features,
            "errors.norms": self.errors.norms,
            "replaced.features": self.replaced.features,
            "variances.norms": self.variances.norms,
            "variances.cosines": self.variances.cosines,
        }
        for key, values in lists.items():
            (each_once if key == "replaced.features" else some_each_once)(key, values)
        counts = {
            "errors.features": self.errors.features,
            "path.features": [self.path.features],
            "replaced.features": self.replaced.features,
        }
        for key, values in counts.items():
            if odd := [value for value in values if value % 2]:
                raise ConfigError(f"{key}: {odd[0]} is odd; two features share a frequency (cos and sin, u and -u)")
