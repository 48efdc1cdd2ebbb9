"""Settings of `dti_reach`: the interactions that an answer depends on in a prompt of many targets. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST, Base
from lab.config.choices import Position, StreamScheme
from lab.config.key_checks import check_heads, some_each_once
from lab.config.training import number_of_seeds
from tasks.settings import above_zero, at_least_two, key, positive

# Of the tiny decoders whose reach is drawn.
TRAINED = ["experiment=click_stream", "task.num_context=2", "task.num_targets=6", "model.targets=3", *smoke.WIDTHS,
           "model.num_layers=2", "train.steps=2", "train.eval_every=2", "train.batch_size=2", "eval.users=4",
           "eval.block=4"]  # fmt: skip


@dataclass
class ReachModel:
    """The decoders with random weights on which theorems are checked."""

    width: int = positive(16, "D, the width of a token.")
    num_heads: int = positive(2, "Heads of each attention layer.")
    mlp_width: int = positive(32, "Hidden units of each layer's MLP.")


@dataclass
class TrainedStreams:
    """The trained decoders whose reach is measured.

    For each scheme the command line of a run of the kind dti is `words` followed by model.scheme=SCHEME; it is run
    first if it is not finished.
    """

    words: list[str] = key([], "Words such as experiment=click_stream; empty: no trained decoders.")
    schemes: list[StreamScheme] = key(
        [
            StreamScheme.naive,
            StreamScheme.no_id,
            StreamScheme.dti,
            StreamScheme.own,
            StreamScheme.local,
            StreamScheme.split,
        ],
        "Schemes of the trained decoders, one run each.",
    )


@dataclass
class ReachEval:
    """The random prompts on which norms and reaches are measured."""

    users: int = positive(4, "Prompts that norms are averaged over.")


@dataclass
class DtiReach(Base):
    """Theorems about every scheme, kind of positions and number of layers are checked in float64; and the distance is
    measured up to which the answers of trained decoders depend on the past."""

    FIGURE: ClassVar = "dti_reach"
    FIRST: ClassVar = ["schemes", "positions", "layers", "num_context", "num_targets", "trained.words",
                       "trained.schemes", "seeds", "eval.users"]  # fmt: skip
    TINY: ClassVar = ["experiment=dti_reach", "num_context=2", "num_targets=3", "model.width=8", "model.mlp_width=8",
                      "eval.users=2", "layers=[1,2]", "positions=[rope]",
                      "schemes=[naive,no_id,alibi,literal,dti,local]", smoke.listed("trained.words", TRAINED),
                      "trained.schemes=[naive,local]"]  # fmt: skip

    schemes: list[StreamScheme] = key([*StreamScheme], "Schemes on which theorems are checked.")
    positions: list[Position] = key([*Position], "Encodings of positions on which theorems are checked.")
    layers: list[int] = key([1, 2, 3], "Numbers of layers on which theorems are checked.", at_least=1, at_most=64)
    num_context: int = key(6, "n, the window, in interactions.", at_least=2, at_most=LARGEST)
    # A prompt of one target would be a sliding window.
    num_targets: int = at_least_two(8, "k, the targets of a prompt.")
    init_scale: float = above_zero(1.0, "Variance of random weights times their fan-in.")
    model: ReachModel = field(default_factory=ReachModel)
    trained: TrainedStreams = field(default_factory=TrainedStreams)
    seeds: int = number_of_seeds(1)
    eval: ReachEval = field(default_factory=ReachEval)

    def check(self) -> None:
        lists = {"schemes": self.schemes, "positions": self.positions, "layers": self.layers}
        for name, values in (lists | {"trained.schemes": self.trained.schemes}).items():
            some_each_once(name, values)
        check_heads(self.model, "positions=rope" if Position.rope in self.positions else "")

    def inputs(self) -> list[list[str]]:
        return [self.command(scheme) for scheme in self.trained.schemes] if self.trained.words else []

    def command(self, scheme: StreamScheme) -> list[str]:
        """Return the words of the run that trains the decoders of a scheme."""
        return [*self.trained.words, f"model.scheme={scheme.value}", f"seed={self.seed}", f"seeds={self.seeds}"]
