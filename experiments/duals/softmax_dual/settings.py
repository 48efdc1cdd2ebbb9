"""Settings of `softmax_dual`: softmax attention with random features of its kernel. No JAX here."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from lab.config import smoke
from lab.config.base import Base
from lab.config.training import Trained
from tasks.settings import at_least_two, key, positive, several

# bounds of numbers of features: cos and sin share a frequency, and u and -u
COUNTS: dict[str, Any] = {"at_least": 2, "at_most": 2**16, "even": "two features share a frequency"}
NORMS: dict[str, Any] = {"above": 0, "at_most": 10}  # bounds of norms; for longer vectors one key outweighs all others


@dataclass
class Errors:
    """The comparison of one attention output, with its kernel estimated by random features, with the exact one."""

    features: list[int] = several([16, 64, 256, 1024, 4096], "F, the numbers of random features.", **COUNTS)
    norms: list[float] = several([0.5, 1.0, 1.5, 2.0, 3.0], "Norms of queries and keys.", **NORMS)
    width: int = positive(8, "A, the width of queries, keys and values.")
    tokens: int = positive(20, "S, the tokens attended to.")
    problems: int = positive(64, "Random problems per seed.")


@dataclass
class Path:
    """The output while demonstrations are added one by one, each by a step of gradient descent (figure 8 of LRGD)."""

    features: int = key(100, "F, the number of random features.", **COUNTS)
    width: int = positive(11, "A, the width of queries and keys, LRGD's d_i in eq. 7.")
    output_dim: int = positive(1, "C, the width of values, LRGD's d_o.")
    instructions: int = positive(15, "Tokens of the initial model, LRGD's N_T.")
    demonstrations: int = positive(15, "Tokens that are learned, LRGD's N_D.")
    problems: int = at_least_two(64, "Random problems per seed.")


@dataclass
class Variances:
    """The comparison of the variances of estimates of one kernel value with their formulas."""

    draws: int = key(400_000, "Estimates per seed.", at_least=2, at_most=2**24)
    norms: list[float] = several([0.5, 1.0], "Norms of queries and keys.", **NORMS)
    cosines: list[float] = several(
        [-0.5, 0.0, 0.5], "Cosines of the angle between query and key.", at_least=-1, at_most=1
    )


@dataclass
class Replaced:
    """Trained decoders with every attention replaced by its estimate from random features."""

    features: list[int] = key(
        [100, 256, 1024, 4096],
        "F, the numbers of random features; empty: no decoders are trained.",
        once=True,
        **COUNTS,
    )
    seeds: int = positive(3, "Number of trained decoders, one per seed.")


@dataclass
class DecoderEpisodes:
    """The test episodes of trained decoders."""

    episodes: int = positive(16, "Test episodes of each decoder.")


@dataclass
class SoftmaxDual(Base):
    """Softmax attention as gradient descent on random features of its kernel, by the number of features."""

    FIRST: ClassVar = ["seeds", "errors.features", "errors.norms", "path.features", "path.demonstrations",
                       "variances.draws", "replaced.features", "replaced.seeds"]  # fmt: skip
    TINY: ClassVar = ["experiment=softmax_dual", "seeds=2", "errors.features=[256,512]", "errors.norms=[0.5]",
                      "errors.problems=4", "path.problems=3", "path.features=8", "variances.draws=50",
                      "variances.norms=[0.5]", "variances.cosines=[0.5]", "replaced.features=[100]",
                      "eval.episodes=2", "replaced.seeds=2",
                      smoke.listed("model.words", smoke.DECODER)]  # fmt: skip

    seeds: int = positive(8, "Number of seeds: seed, seed + 1, ..., each with problems of its own.")
    errors: Errors = field(default_factory=Errors)
    path: Path = field(default_factory=Path)
    variances: Variances = field(default_factory=Variances)
    replaced: Replaced = field(default_factory=Replaced)
    model: Trained = field(default_factory=Trained)
    eval: DecoderEpisodes = field(default_factory=DecoderEpisodes)

    def inputs(self) -> list[list[str]]:
        return [self.command] if self.replaced.features else []

    @property
    def command(self) -> list[str]:
        """The words of the run that trains the decoders."""
        return self.model.command(self.seed, self.replaced.seeds)
