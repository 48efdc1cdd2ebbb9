"""Settings of `language_dual`: the dual model of every token of every layer of a language model. No JAX here."""

from dataclasses import dataclass
from typing import ClassVar

from lab.config import smoke
from lab.config.key_checks import some_each_once
from lab.config.language import ReadsTexts
from lab.errors import ConfigError
from tasks.settings import key, positive


@dataclass
class LanguageDual(ReadsTexts):
    """Attention's outputs beside those of dual models, and of random features, in every layer of a language model."""

    FIGURE: ClassVar = "language_dual"
    FIRST: ClassVar = ["lm.path", "text.dataset", "text.path", "text.train", "seeds", "queries", "features",
                       "text.examples"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_dual", "seeds=2", smoke.listed("lm.words", smoke.LANGUAGE), "queries=2",
                      "features=[16,64]"]  # fmt: skip

    queries: int = positive(8, "Test rows that are asked behind each set of demonstrations.")
    features: list[int] = key(
        [64, 256, 1024, 4096], "Numbers of random features of each head.", at_least=2, at_most=10**6
    )

    def check(self) -> None:
        super().check()
        some_each_once("features", self.features)
        if odd := [count for count in self.features if count % 2]:
            raise ConfigError(f"features={odd[0]}: trigonometric features come in pairs, so an even number")
