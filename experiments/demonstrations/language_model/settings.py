"""Settings of `language_model`: the lab trains a small language model of its own. No JAX here."""

from dataclasses import dataclass, field
from typing import ClassVar

from lab.config import smoke
from lab.config.base import Base
from lab.config.small_language import SmallModel, SmallTraining
from lab.errors import ConfigError
from tasks.settings import at_least_two, key
from tasks.texts.settings import Sentences
from tasks.texts.words import QUESTIONS


@dataclass
class Documents:
    """The test documents."""

    documents: int = at_least_two(2000, "Test documents.")
    block: int = key(250, "Documents measured at a time; each block is drawn from a key of its own.", at_least=2,
                     at_most=10**6)  # fmt: skip


@dataclass
class LanguageModel(Base):
    """A small language model learns the words of documents in context, and is kept as the hub lays models out."""

    FIRST: ClassVar = ["seed", "train.steps", "train.learning_rate", "model.num_layers", "model.width",
                       "task.num_context", "task.wrong", "task.exchanged", "rows", "rows_wrong"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_model", *smoke.LANGUAGE]

    task: Sentences = field(default_factory=Sentences)
    model: SmallModel = field(default_factory=SmallModel)
    train: SmallTraining = field(default_factory=SmallTraining)
    eval: Documents = field(default_factory=Documents)
    rows: int = key(400, "Rows of each of its two tables of texts, train and test.", at_least=4, at_most=10**6)
    rows_wrong: float = key(0.3, "Share of wrong classes among the rows to demonstrate.", at_least=0, at_most=0.5)

    def check(self) -> None:
        self.model.check()
        if self.task.question not in ("", *QUESTIONS):
            raise ConfigError(f"task.question={self.task.question}: allowed: {', '.join(QUESTIONS)}")
        if 8 * self.task.num_context > self.model.positions:
            raise ConfigError(
                f"task.num_context={self.task.num_context}: its documents have {8 * self.task.num_context} tokens, and "
                f"the model model.positions={self.model.positions}"
            )
