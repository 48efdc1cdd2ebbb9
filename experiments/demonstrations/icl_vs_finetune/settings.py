"""Settings of `icl_vs_finetune`: learning in context and fine-tuning on the same examples. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.training import EvalBlocks, StartsFromTrained
from tasks.settings import at_least_two, key, positive, several


@dataclass
class IclVsFinetune(StartsFromTrained):
    """Trained decoders learn in context and are fine-tuned on the same examples; the agreement of the two is compared
    with null values."""

    FIRST: ClassVar = ["model.experiment", "seeds", "model.words", "test", "eval.episodes", "queries", "learning_rates",
                       "steps", "validation"]  # fmt: skip
    TINY: ClassVar = ["experiment=icl_vs_finetune", *smoke.trained(smoke.DECODER), "eval.episodes=6", "validation=4",
                      "queries=16", "eval.block=4", "learning_rates=[1.0,10.0]", "steps=2"]  # fmt: skip

    test: list[str] = key([], "Words task.KEY=VALUE in which the test's task differs from training's.")
    eval: EvalBlocks = field(default_factory=lambda: EvalBlocks(300, 50))
    queries: int = at_least_two(32, "Queries per episode.")
    learning_rates: list[float] = several(
        [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0],
        "Learning rates of fine-tuning; each schedule takes the best on validation episodes.",
        above=0,
        at_most=1e4,
    )
    validation: int = at_least_two(100, "Episodes on which the rate is chosen.")
    steps: int = positive(10, "Steps of the stronger fine-tuning, each on all examples.")
