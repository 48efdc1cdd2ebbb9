"""Settings of `attention_ladder`: trained decoders with simpler attention in the place of theirs. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from experiments.duals.softmax_dual.settings import COUNTS
from lab.config import smoke
from lab.config.training import EvalBlocks, StartsFromTrained
from tasks.settings import at_least_two, key, several


@dataclass
class AttentionLadder(StartsFromTrained):
    """The attention of trained decoders is replaced by approximations, from linear attention up to softmax."""

    FIRST: ClassVar = ["model.experiment", "seeds", "model.words", "test", "degrees", "features", "eval.episodes",
                       "queries"]  # fmt: skip
    TINY: ClassVar = ["experiment=attention_ladder", *smoke.trained(smoke.DECODER), "eval.episodes=6", "queries=16",
                      "eval.block=4", "degrees=[1,2]", "features=16"]  # fmt: skip

    test: list[str] = key([], "Words task.KEY=VALUE in which the test's task differs from training's.")
    eval: EvalBlocks = field(default_factory=EvalBlocks)
    queries: int = at_least_two(32, "Queries per episode.")
    degrees: list[int] = several([1, 2, 4, 8, 16], "Degrees of the Taylor weights.", at_least=1, at_most=30)
    features: int = key(256, "F, the number of random features.", **COUNTS)
