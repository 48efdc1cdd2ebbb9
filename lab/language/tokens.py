"""Words of a text and their numbers: the tokenizer of a model's folder.

`tokenizer.json` is read as it is. A folder of the older form has `vocab.json` and `merges.txt` instead, which are a
byte-level BPE (Radford et al. 2019).
"""

import bisect
import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Any

from lab.errors import ConfigError, UserError, printable, short
from lab.language.arch import Arch
from lab.language.files import EXTRA, read_json

FILE = "tokenizer.json"
SPECIAL = ("bos_token", "eos_token", "unk_token", "pad_token")


class Tokenizer:
    """The tokenizer of a folder.

    Args:
        folder: with `tokenizer.json`, or `vocab.json` and `merges.txt`.
        arch: of the model whose words they must be; None: not checked.

    Raises:
        UserError: a file is missing or not understood, or the tokenizer is not the model's.
    """

    def __init__(self, folder: str | pathlib.Path, arch: Arch | None = None):
        folder = pathlib.Path(folder).expanduser()
        settings = folder / "tokenizer_config.json"
        names = read_json(settings) if settings.exists() else {}
        special = {name: names[name] for name in SPECIAL if names.get(name)}
        special = {name: each["content"] if isinstance(each, dict) else each for name, each in special.items()}
        self.inner, self.start, self.adds_start = _read(folder), special.get("bos_token"), False
        if not (folder / FILE).exists():  # which would say these two itself
            self.adds_start = bool(names.get("add_bos_token", False))
            self.inner.add_special_tokens(
                [each for each in special.values() if self.inner.token_to_id(each) is not None]
            )
        if arch is not None:
            self._check(arch, folder)

    @classmethod
    def of(cls, inner: Any) -> "Tokenizer":
        """Return one from an object `tokenizers.Tokenizer`."""
        tokenizer = cls.__new__(cls)
        tokenizer.inner, tokenizer.start, tokenizer.adds_start = inner, None, False
        return tokenizer

    def encode(self, text: str, special: bool = False) -> list[int]:
        """Return the numbers of a text's tokens.

        Args:
            special: with the special tokens that the publishers put around a text, such as OPT's `</s>` in front.
        """
        ids = self.inner.encode(text, add_special_tokens=special).ids
        if special and self.adds_start and self.start is not None:
            return [self.inner.token_to_id(self.start), *ids]
        return ids

    def located(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of a text's tokens without special ones around it, and where in the text each ends."""
        encoding = self.inner.encode(text, add_special_tokens=False)
        return encoding.ids, [end for _, end in encoding.offsets]

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of some tokens, special ones included."""
        return self.inner.decode([*map(int, tokens)], skip_special_tokens=False)

    def save(self, folder: pathlib.Path) -> None:
        """Write `tokenizer.json`."""
        self.inner.save(str(folder / FILE))

    def _check(self, arch: Arch, folder: pathlib.Path) -> None:
        largest = max(self.inner.get_vocab(with_added_tokens=True).values(), default=0)
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


def _read(folder: pathlib.Path) -> Any:
    """Return the object `tokenizers.Tokenizer` of a folder."""
    try:
        import tokenizers
        from tokenizers import decoders, models, pre_tokenizers
    except ImportError as error:
        raise UserError(f"language models need tokenizers: {EXTRA}") from error
    words, merges = folder / "vocab.json", folder / "merges.txt"
    try:
        if (folder / FILE).exists():
            inner = tokenizers.Tokenizer.from_file(str(folder / FILE))
        elif words.exists() and merges.exists():
            inner = tokenizers.Tokenizer(models.BPE.from_file(str(words), str(merges)))
            inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
            inner.decoder = decoders.ByteLevel()
        else:
            raise UserError(f"{printable(str(folder))}: has no {FILE}, and no vocab.json with merges.txt")
    except UserError:
        raise
    except Exception as error:  # the library raises this class itself
        raise UserError(
            f"{printable(str(folder))}: the tokenizer is not understood ({printable(str(error))})"
        ) from error
    inner.no_truncation()
    inner.no_padding()
    return inner
