"""Settings of `language_choice`: which of several sets of demonstrations to show a language model. No JAX here."""

from dataclasses import dataclass
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.language import ReadsTexts
from lab.config.training import number_of_seeds
from tasks.settings import at_least_two, several


@dataclass
class LanguageChoice(ReadsTexts):
    """Sets of demonstrations are scored on validation rows, and the best by each score is shown to the test rows."""

    FIRST: ClassVar = ["lm.path", "text.dataset", "text.path", "text.train", "seeds", "sets", "validation",
                       "text.examples"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_choice", "seeds=2", smoke.listed("lm.words", smoke.LANGUAGE), "sets=6",
                      "validation=[4,8]", "text.test=30", "text.examples=1"]  # fmt: skip

    seeds: int = number_of_seeds(5)  # of draws of sets and validation rows
    sets: int = at_least_two(16, "Sets of demonstrations, of which one is chosen.")
    validation: list[int] = several(
        [4, 16, 64], "Numbers of validation rows on which sets are scored.", at_least=1, at_most=LARGEST
    )
