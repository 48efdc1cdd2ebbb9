"""Settings of `language_deep_thinking`: a language model reads its demonstrations several times. No JAX here."""

from dataclasses import dataclass
from typing import ClassVar

from experiments.demonstrations.deep_thinking.settings import Rereading
from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.language import ReadsTexts, require_rows
from tasks.settings import at_least_two, key, several


@dataclass
class LanguageDeepThinking(Rereading, ReadsTexts):
    """Keys and values of demonstrations are moved step by step; their number is chosen on validation rows."""

    FIRST: ClassVar = ["lm.path", "text.dataset", "text.path", "text.train", "seeds", "iterations", "eta", "beta",
                       "offset", "text.examples"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_deep_thinking", "seeds=2", smoke.listed("lm.words", smoke.LANGUAGE),
                      "iterations=3", "validation=8", "text.test=12"]  # fmt: skip

    offset: list[bool] = several(
        [True, False], "Whether positions go on at a further reading, as in the source's program, or are repeated."
    )
    validation: int = at_least_two(100, "Rows on which each set of demonstrations chooses its number of iterations.")
    counts: list[int] = key(
        [], "Numbers of demonstrations to measure with; empty: 0, 1, a quarter, half and all.", at_least=0,
        at_most=LARGEST, once=True,
    )  # fmt: skip

    def check(self) -> None:
        super().check()
        require_rows(self.text)
        self.check_rates()
