"""Settings of `language_finetune`: learning in context and fine-tuning of a language model. No JAX here."""

import enum
from dataclasses import dataclass
from typing import ClassVar

from lab.config import smoke
from lab.config.language import ReadsTexts, require_rows
from tasks.settings import at_least_two, key, positive, several


class Loss(enum.Enum):
    """The tokens of a demonstration that fine-tuning learns to predict."""

    all = "all"  # template and word
    label = "label"  # the word


@dataclass
class LanguageFinetune(ReadsTexts):
    """A language model learns demonstrations in context and by fine-tuning its keys and values, beside nulls."""

    FIRST: ClassVar = ["lm.path", "text.dataset", "text.path", "text.train", "seeds", "learning_rates", "loss",
                       "text.examples"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_finetune", "seeds=2", smoke.listed("lm.words", smoke.LANGUAGE),
                      "learning_rates=[10.0,30.0]", "validation=8", "text.test=30", "orders=2"]  # fmt: skip

    learning_rates: list[float] = several(
        [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0],
        "Learning rates of fine-tuning; each set of demonstrations takes the best on its validation rows.",
        above=0,
        at_most=1e4,
    )
    loss: Loss = key(
        Loss.all, "The tokens of a demonstration that are learned: all, as in the source's program, or the word's."
    )
    epochs: int = positive(1, "How often fine-tuning goes through the demonstrations, one step for each.")
    orders: int = at_least_two(8, "Orders of each set's demonstrations, over which answers are compared.")
    validation: int = at_least_two(100, "Rows on which each set of demonstrations chooses its rate.")

    def check(self) -> None:
        super().check()
        require_rows(self.text)
