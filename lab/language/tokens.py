"""Words of a text and their numbers: the tokenizer of a model's folder.

`tokenizer.json` is read as it is, but for what it puts behind a text. `lab.language.older_tokens` reads the older form.
"""

import bisect
import contextlib
import dataclasses
import math
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

from lab.config.language import EXTRA, TOKENIZER, check_file
from lab.errors import ConfigError, UserError, printable, short
from lab.language import gguf_tokens, older_tokens
from lab.language.arch import Arch
from lab.language.files import read_json
from lab.language.gguf_file import Gguf, is_gguf

LONGER = 2**16  # times that replacements may make a text longer


class Tokenizer:
    """The tokenizer of a folder, or of a GGUF file.

    Args:
        folder: with `tokenizer.json`, or `vocab.json` and `merges.txt`; or the file.
        arch: of the model whose words they must be; None: not checked.

    Raises:
        UserError: a file is missing or not understood, or the tokenizer is not the model's.
    """

    def __init__(self, folder: str | pathlib.Path, arch: Arch | None = None):
        folder = pathlib.Path(folder).expanduser()
        settings = folder / "tokenizer_config.json"
        names = read_json(settings) if settings.exists() else {}
        with _understood(f"{printable(str(folder))}: the tokenizer is not understood"):
            self._set(*_read(folder, names))
        if arch is not None:
            self._check(arch, folder)

    @classmethod
    def of(cls, inner: Any) -> "Tokenizer":
        """Return one from an object `tokenizers.Tokenizer`."""
        tokenizer = cls.__new__(cls)
        tokenizer._set(inner, {})
        return tokenizer

    def _set(self, inner: Any, special: dict[str, Any]) -> None:
        """
        Args:
            special: tokens of the settings by their names there, such as `bos_token`, the beginning of a text.
        """
        self.inner, self.words = inner, math.inf
        self.start = older_tokens.content(special.get("bos_token"))
        self.special = {older_tokens.content(special.get(name)) for name in older_tokens.NAMED}
        parts = inner.encode("a")
        of_text = [place for place, number in enumerate(parts.sequence_ids) if number is not None]
        self.first: list[int] = parts.ids[: of_text[0]] if of_text else []  # what the publishers put before a text

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Return the numbers of a text's tokens.

        Args:
            special: with the special tokens that the publishers put before a text, such as OPT's `</s>`. What they put
                behind it is left out, since a text goes on with the next one or with an answer.

        Raises:
            UserError: the text has a token that the model lacks, or the tokenizer cannot read it.
        """
        ids, _ = self.located(text)
        return [*self.first, *ids] if special else ids

    def located(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of a text's tokens without special ones around it, and where in the text each ends.

        Raises:
            UserError: as `encode`.
        """
        with _understood("the tokenizer cannot read a text"):
            encoding = self.inner.encode(text, add_special_tokens=False)
        if missing := [each for each in encoding.ids if each >= self.words]:
            token = short(printable(self.inner.id_to_token(missing[0])))
            raise UserError(
                f"a text has the token {token!r}, number {missing[0]}, and the model has {self.words} words"
            )
        return encoding.ids, [end for _, end in encoding.offsets]

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of some tokens, special ones included."""
        return self.inner.decode([*map(int, tokens)], skip_special_tokens=False)

    def save(self, folder: pathlib.Path) -> None:
        """Write `tokenizer.json`."""
        self.inner.save(str(folder / TOKENIZER))

    def _check(self, arch: Arch, folder: pathlib.Path) -> None:
        self.words = arch.vocabulary
        numbers = self.inner.get_vocab(with_added_tokens=True).items()
        # One for padding is often beyond the model's table, and is never needed here.
        largest = max((number for name, number in numbers if name not in self.special), default=0)
        if largest >= arch.vocabulary:
            raise UserError(
                f"{folder}: the tokenizer has words up to number {largest}, and the model {arch.vocabulary} words; "
                "it is another model's"
            )
        config = read_json(folder / "config.json") if (folder / "config.json").exists() else {}
        expected, start = config.get("bos_token_id"), self.start
        if isinstance(expected, int) and start is not None and self.inner.token_to_id(start) != expected:
            raise UserError(
                f"{folder}: the first token {start!r} is number {self.inner.token_to_id(start)} in the tokenizer, and "
                f"{expected} in config.json; the tokenizer is another model's"
            )


@dataclasses.dataclass(frozen=True)
class Pieces:
    """The tokens of one text in three parts: what stands before a prompt, the prompt, and each answer to it.

    A token that begins in the first part and ends in the prompt is the prompt's.
    """

    context: list[int]
    prompt: list[int]
    answers: list[list[int]]


def pieces(tokenizer: Tokenizer, prompt: str, answers: Sequence[str], context: str = "") -> Pieces:
    """Return the tokens of a prompt and of each answer that may follow it, as the whole text has them.

    Args:
        answers: each with the blank in front of it, if there is one.
        context: the text in front of the prompt.

    Raises:
        ConfigError: the prompt's tokens are not the first ones of prompt and answer together, so that the answer would
            be scored behind another prompt than the one that is written.
    """
    first, ends = tokenizer.located(context + prompt)
    tokens_of_answers = []
    for answer in answers:
        both = tokenizer.encode(context + prompt + answer)
        if both[: len(first)] != first or len(both) == len(first):
            raise ConfigError(
                f"{short(repr(printable(answer)))}: its tokens join those of the prompt, which ends in "
                f"{printable(prompt[-20:])!r}; begin the answer with a blank, and end the prompt without one"
            )
        tokens_of_answers.append(both[len(first) :])
    count = bisect.bisect_right(ends, len(context)) if context else 0
    return Pieces(first[:count], first[count:], tokens_of_answers)


def _read(folder: pathlib.Path, names: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the object `tokenizers.Tokenizer` of a folder, and its special tokens by their names in the settings."""
    try:
        import tokenizers
    except ImportError as error:
        raise UserError(f"language models need tokenizers: {EXTRA}") from error
    path = folder / TOKENIZER
    if is_gguf(folder):
        inner, names = gguf_tokens.tokenizer(Gguf(folder))
    elif path.exists():
        check_file(path)
        parts = read_json(path)
        if _growth([parts.get("normalizer"), parts.get("decoder")]) > LONGER:
            raise UserError(f"{path}: its replacements can make a text more than {LONGER:,} times as long")
        inner = tokenizers.Tokenizer.from_file(str(path))
    else:
        inner, names = older_tokens.read(folder, names)
    inner.no_truncation()
    inner.no_padding()
    return inner, names


@contextlib.contextmanager
def _understood(otherwise: str) -> Iterator[None]:
    """
    Raises:
        UserError: the package `tokenizers` refuses something, or fails: a regular expression that would go back more
            than ten million times, for one.
    """
    try:
        yield
    except UserError:
        raise
    except BaseException as error:  # the package raises Exception itself, and where it fails a class that is none
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise UserError(f"{otherwise} ({short(printable(str(error)))})") from error


def _growth(part: Any) -> float:
    """Return how many times as long replacements make a text at most, if each finds all it can."""
    if isinstance(part, list):
        return math.prod(map(_growth, part))
    if not isinstance(part, dict):
        return 1.0
    if part.get("type") != "Replace":
        return _growth([*part.values()])
    pattern, content = part.get("pattern"), str(part.get("content", ""))
    if isinstance(pattern, dict) and isinstance(pattern.get("String"), str) and pattern["String"]:
        return max(1.0, len(content) / len(pattern["String"]))
    return 1.0 + len(content)  # a regular expression may find a place between two letters
