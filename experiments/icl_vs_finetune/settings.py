"""Settings of `icl_vs_finetune`: learning in context and fine-tuning on the same examples. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import tiny
from lab.config.base import Base
from lab.config.trained import Trained
from lab.errors import ConfigError
from tasks.settings import at_least_two, key, positive


@dataclass
class IclVsFinetune(Base):
    """Trained decoders learn in context and are fine-tuned on the same examples; the agreement of the two is compared
    with null values."""

    FIGURE: ClassVar = "icl_vs_finetune"
    FIRST: ClassVar = ["model.experiment", "model.seeds", "model.words", "test", "episodes", "queries", "rates",
                       "steps", "validation"]  # fmt: skip
    TINY: ClassVar = ["experiment=icl_vs_finetune", *tiny.trained(tiny.DECODER), "episodes=6", "validation=4",
                      "queries=4", "chunk=4", "rates=[0.1,1.0]", "steps=2"]  # fmt: skip

    model: Trained = field(default_factory=Trained)
    test: list[str] = key([], "Words task.KEY=VALUE in which the test's task differs from training's.")
    episodes: int = at_least_two(300, "Test episodes.")
    queries: int = at_least_two(32, "Queries per episode.")
    rates: list[float] = key(
        [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0],
        "Rates of fine-tuning; each schedule takes the best on validation episodes.",
        above=0,
        at_most=1e4,
    )
    validation: int = at_least_two(100, "Episodes on which the rate is chosen.")
    steps: int = positive(10, "Steps of the stronger fine-tuning, each on all examples.")
    chunk: int = positive(50, "Episodes computed at a time; each block is drawn from a key of its own.")

    def check(self) -> None:
        if not self.rates:
            raise ConfigError("rates=[]: at least one")

    def inputs(self) -> list[list[str]]:
        return [self.model.command]
