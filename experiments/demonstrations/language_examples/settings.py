"""Settings of `language_examples`: a language model behind more and more demonstrations. No JAX here."""

import dataclasses
import pathlib
from dataclasses import dataclass
from typing import ClassVar

from lab.config import smoke
from lab.config.base import LARGEST
from lab.config.language import ReadsTexts, require_rows
from lab.errors import ConfigError
from tasks.settings import at_least_two, key, several
from tasks.texts.settings import Texts


@dataclass
class LanguageExamples(ReadsTexts):
    """Test rows of data sets are asked behind the first demonstrations of every set."""

    FIRST: ClassVar = ["lm.path", "data_sets", "text.path", "text.dataset", "seeds", "counts", "validation",
                       "text.test"]  # fmt: skip
    TINY: ClassVar = ["experiment=language_examples", "seeds=2", smoke.listed("lm.words", smoke.LANGUAGE),
                      "counts=[1,2]", "text.examples=1", "validation=8", "text.test=12"]  # fmt: skip

    data_sets: list[str] = key(
        [],
        "Data sets of sources by name, each in a folder of text.path by its name without dai_; empty: text.dataset.",
        once=True,
    )
    counts: list[int] = several(
        [1, 2, 4, 8, 16, 32], "Numbers of demonstrations, the first of each set; 0 is always measured.", at_least=1,
        at_most=LARGEST,
    )  # fmt: skip
    validation: int = at_least_two(64, "Rows by which the number of demonstrations and the answers' way are chosen.")

    def check(self) -> None:
        from tasks.texts.known import KNOWN
        from tasks.texts.read import form_of

        super().check()
        require_rows(self.text)
        for name in self.data_sets:
            if not self.lm.path or name not in KNOWN:
                allowed = ", ".join(KNOWN) if self.lm.path else "none without lm.path"
                raise ConfigError(f"data_sets={name}: no such data set; allowed: {allowed}")
        if self.data_sets and (self.text.dataset or self.text.train):
            raise ConfigError("data_sets: each has its own files; leave text.dataset and text.train out")
        for text in self.texts():
            if form_of(text).choice is not None:
                raise ConfigError(f"{text.dataset or 'text.choices'}: rows have answers of their own, and no classes")

    def fill_in(self) -> None:
        from tasks.texts.read import fill_in

        if not self.data_sets:
            return super().fill_in()
        self.fill_in_model()
        digests = []
        for text in self.texts():
            fill_in(text)
            digests += text.sha256
        if self.text.sha256 not in ([], digests):
            raise ConfigError(f"text.path={self.text.path}: the SHA-256 of its files are other ones than text.sha256")
        self.text.sha256 = digests

    def texts(self) -> list[Texts]:
        """Return the settings of each data set's texts."""
        if not self.data_sets:
            return [self.text]
        folder = pathlib.Path(self.text.path)
        folders = {name: str(folder / name.removeprefix("dai_")) for name in self.data_sets}
        return [dataclasses.replace(self.text, dataset=name, path=path, sha256=[]) for name, path in folders.items()]
