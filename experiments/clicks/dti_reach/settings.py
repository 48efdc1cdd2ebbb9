"""Settings of `dti_reach`: the interactions that an answer depends on in a prompt of many targets. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base
from lab.config.choices import Position, StreamScheme
from lab.config.key_checks import check_heads
from tasks.settings import above_zero, at_least_two, key, positive, several


@dataclass
class ReachModel:
    """The decoders with random weights on which theorems are checked."""

    width: int = positive(16, "D, the width of a token.")
    num_heads: int = positive(2, "Heads of each attention layer.")
    mlp_width: int = positive(32, "Hidden units of each layer's MLP.")


@dataclass
class ReachEval:
    """The random prompts on which norms and reaches are measured."""

    users: int = positive(4, "Prompts that norms are averaged over.")


@dataclass
class DtiReach(Base):
    """Theorems about every scheme, kind of positions and number of layers are checked in float64."""

    FIRST: ClassVar = ["schemes", "positions", "layers", "num_context", "num_targets", "eval.users"]  # fmt: skip
    TINY: ClassVar = ["experiment=dti_reach", "num_context=2", "num_targets=3", "model.width=8", "model.mlp_width=8",
                      "eval.users=2", "layers=[1,2]", "positions=[rope]",
                      "schemes=[naive,no_id,alibi,literal,dti,local]"]  # fmt: skip

    schemes: list[StreamScheme] = several([*StreamScheme], "Schemes on which theorems are checked.")
    positions: list[Position] = several([*Position], "Encodings of positions on which theorems are checked.")
    layers: list[int] = several([1, 2, 3], "Numbers of layers on which theorems are checked.", at_least=1, at_most=64)
    num_context: int = key(6, "n, the window, in interactions.", at_least=2, at_most=LARGEST)
    # A prompt of one target would be a sliding window.
    num_targets: int = at_least_two(8, "k, the targets of a prompt.")
    init_scale: float = above_zero(1.0, "Variance of random weights times their fan-in.")
    model: ReachModel = field(default_factory=ReachModel)
    eval: ReachEval = field(default_factory=ReachEval)

    def check(self) -> None:
        check_heads(self.model, "positions=rope" if Position.rope in self.positions else "")
