"""Settings of `language_dual`: the dual model of every token of every layer of a language model. No JAX here."""

from dataclasses import dataclass
from typing import ClassVar

from experiments.duals.softmax_dual.settings import COUNTS
from lab.config import smoke
from lab.config.language import ReadsTexts
from tasks.settings import positive, several


@dataclass
class LanguageDual(ReadsTexts):
    """Attention's outputs beside those of dual models, and of random features, in every layer of a language model."""

    FIRST: ClassVar = ["lm.path", "text.dataset", "text.path", "text.train", "seeds", "queries", "features",
                       "text.examples"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_dual", "seeds=2", smoke.listed("lm.words", smoke.LANGUAGE), "queries=2",
                      "features=[16,64]"]  # fmt: skip

    queries: int = positive(8, "Test rows that are asked behind each set of demonstrations.")
    features: list[int] = several(
        [64, 256, 1024, 4096], "Numbers of random features of each head.", **{**COUNTS, "at_most": 10**6}
    )
