"""Settings of `icl_vs_finetune`: learning in context against fine-tuning on the same examples. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config.base import LARGEST, Base
from lab.config.trained import Trained
from lab.errors import ConfigError
from tasks.settings import positive


@dataclass
class IclVsFinetune(Base):
    """Trained decoders learn in context and are fine-tuned on the same examples; the two are compared with nulls."""

    FIGURE: ClassVar = "icl_vs_finetune"

    model: Trained = field(default_factory=Trained)
    test: list[str] = field(default_factory=list)  # words by which the task differs from that of training
    episodes: int = field(default=300, metadata={"at_least": 2, "at_most": LARGEST})
    queries: int = field(default=32, metadata={"at_least": 2, "at_most": LARGEST})  # of an episode
    # Of the descent, the best of which is chosen for each schedule on episodes of its own.
    rates: list[float] = field(
        default_factory=lambda: [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0], metadata={"above": 0, "at_most": 1e4}
    )
    validation: int = field(default=100, metadata={"at_least": 2, "at_most": LARGEST})  # episodes for that choice
    steps: int = positive(10)  # of the stronger fine-tuning, with all examples in each
    chunk: int = field(
        default=50, metadata={"at_least": 1, "at_most": LARGEST, "not_hashed": True}
    )  # episodes at a time

    def check(self) -> None:
        if not self.rates:
            raise ConfigError("rates=[]: at least one")

    def inputs(self) -> list[list[str]]:
        return [self.model.command]
