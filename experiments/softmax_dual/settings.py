"""Settings of `softmax_dual`: softmax attention with random features of its kernel. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import Base
from lab.config.lists import each_once, some_each_once
from lab.config.trained import Trained
from lab.errors import ConfigError
from tasks.settings import at_least_two, positive

COUNTS = {"at_least": 2, "at_most": 2**16}  # bounds of numbers of features
NORMS = {"above": 0, "at_most": 10}  # bounds of norms; for longer vectors one key outweighs all others


@dataclass
class Errors:
    """The comparison of one attention output, with its kernel estimated by random features, with the exact one."""

    features: list[int] = field(default_factory=lambda: [16, 64, 256, 1024, 4096], metadata=COUNTS)  # F
    # Norms of queries and keys.
    norms: list[float] = field(default_factory=lambda: [0.5, 1.0, 1.5, 2.0, 3.0], metadata=NORMS)
    width: int = positive(8)  # A, width of queries, keys and values
    tokens: int = positive(20)  # S, tokens attended to
    problems: int = positive(64)  # problems per seed


@dataclass
class Path:
    """The output while demonstrations are added one by one, each by a step of gradient descent (figure 8 of LRGD)."""

    features: int = field(default=100, metadata=COUNTS)  # F
    width: int = positive(11)  # A, width of queries and keys: LRGD's d_i
    output_dim: int = positive(1)  # C, width of values: LRGD's d_o
    instructions: int = positive(15)  # tokens of the initial model: LRGD's N_T
    demonstrations: int = positive(15)  # tokens that are learned: LRGD's N_D
    problems: int = at_least_two(64)  # problems per seed


@dataclass
class Variances:
    """The comparison of the variances of estimates of one kernel value with their formulas."""

    draws: int = field(default=400_000, metadata={"at_least": 2, "at_most": 2**24})  # estimates per seed
    norms: list[float] = field(default_factory=lambda: [0.5, 1.0], metadata=NORMS)
    cosines: list[float] = field(default_factory=lambda: [-0.5, 0.0, 0.5], metadata={"at_least": -1, "at_most": 1})


@dataclass
class Replaced:
    """Trained decoders with every attention replaced by its estimate from random features."""

    # F, numbers of features; empty: this part is left out, and no decoders are trained.
    features: list[int] = field(default_factory=lambda: [100, 256, 1024, 4096], metadata=COUNTS)
    episodes: int = positive(16)  # test episodes per decoder


@dataclass
class SoftmaxDual(Base):
    """Softmax attention as gradient descent on random features of its kernel, by the number of features."""

    FIGURE: ClassVar = "softmax_dual"
    TINY: ClassVar = ["experiment=softmax_dual", "seeds=2", "errors.features=[256,512]", "errors.norms=[0.5]",
                      "errors.problems=4", "path.problems=3", "path.features=8", "variances.draws=50",
                      "variances.norms=[0.5]", "variances.cosines=[0.5]", "replaced.features=[100]",
                      "replaced.episodes=2", *tiny.trained(tiny.DECODER)]  # fmt: skip

    seeds: int = positive(8)  # how many: seed, seed + 1, ..., each with its own frequencies and problems
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
