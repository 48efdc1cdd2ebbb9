"""The grammar of overrides, KEY=VALUE: the key with its sign, and the value as text.

    seed=3   shift.alpha=[1,2]   train={steps: 5}   run.dir='a, b'   +parts.x=['seed=1']   ~parts.x   seed=1,2

A value is a text, a list [A,B] or a dictionary {KEY: A} of values. What a text means depends on the type of its key
(`lab.config.convert`); quotes keep commas, brackets and spaces in it. Several values without brackets are a sweep.
"""

import dataclasses
import functools
import itertools
import re
from collections.abc import Sequence

from lab.config.convert import Quoted
from lab.errors import ConfigError, short

Value = str | list["Value"] | dict[str, "Value"]
KEY = re.compile(r"(?P<sign>\+\+|\+|~|)(?P<key>\w[\w\-]*(?:[./][\w\-]+)*)")
RANGE = re.compile(r"range\((?P<numbers>[^()]*)\)")
QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
MOST_VALUES = 10_000  # most values of a key in a sweep
DEEPEST = 20  # most nested brackets


@dataclasses.dataclass(frozen=True)
class Override:
    """An override KEY=VALUE, taken apart.

    sign: "" sets a key, "+" adds a name, "++" does either, "~" removes a name.
    value: None if the override has no value, as `~parts`.
    options: the values of a sweep, as texts; empty for a single value.
    """

    word: str
    sign: str
    key: str
    value: Value | None
    options: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The value as it was given; "" where there is none."""
        return self.word.partition("=")[2]


@functools.lru_cache(maxsize=4096)  # the points of a sweep share most overrides
def parse(word: str) -> Override:
    """Return an override taken apart. Do not change the result.

    Raises:
        ConfigError: the text is no KEY=VALUE.
    """
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{short(ascii(word))}: not in the encoding UTF-8") from error
    name, equals, text = word.partition("=")
    match = KEY.fullmatch(name)
    if match is None or bool(equals) == (match["sign"] == "~"):
        raise _not_understood(word)
    if not equals:
        return Override(word, match["sign"], match["key"], None)
    options = _options(word, text)
    value = _whole(word, text) if len(options) < 2 else None
    return Override(word, match["sign"], match["key"], value, tuple(options) if value is None else ())


def axes(words: Sequence[str]) -> dict[str, list[str]]:
    """Return {key: values} of overrides that list several values.

    Raises:
        ConfigError: an override has a single value, or is not understood.
    """
    for left, word in itertools.pairwise(words):
        if "=" in left and "=" not in word:
            raise ConfigError(f"grid: {short(word)}: values with commas stand in quotes: 'grid=[\"{left},{word}\"]'")
    overrides = [parse(word) for word in words]
    for each in overrides:
        if not each.options:
            raise ConfigError(
                f"grid: {short(each.word)!r} lists no values; allowed are KEY=VALUE,VALUE,... and KEY=range(A,B)"
            )
    return {each.key: [*each.options] for each in overrides}


def quoted(value: str) -> str:
    """Return a text in quotes, for use within an override."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _not_understood(word: str) -> ConfigError:
    return ConfigError(f"{short(word)}: not understood; a word is KEY=VALUE, a list is KEY=[VALUE,VALUE]")


def _options(word: str, text: str) -> list[str]:
    """Return the values of a sweep as texts, a single one if the override is no sweep."""
    if match := RANGE.fullmatch(text.strip()):
        return _range(word, match["numbers"])
    options = [each.strip() for each in _divided(word, text, ",")]
    if len(options) > MOST_VALUES:
        raise ConfigError(f"{short(word)}: {len(options):,} values; a sweep has at most {MOST_VALUES:,} points")
    return options


def _range(word: str, text: str) -> list[str]:
    numbers = text.split(",")
    if not (2 <= len(numbers) <= 3 and all(re.fullmatch(r"\s*[+-]?[0-9]+\s*", each) for each in numbers)):
        raise ConfigError(f"{short(word)}: allowed is range(FIRST,END) or range(FIRST,END,STEP), of whole numbers")
    if max(map(len, numbers)) > 20 or (len(numbers) == 3 and not int(numbers[2])):
        raise ConfigError(f"{short(word)}: too large a range, or a step of 0")
    values = range(*map(int, numbers))
    if not 2 <= len(values) <= MOST_VALUES:  # `range` is lazy: nothing is built yet
        count = f"a range of {len(values):,} values"
        raise ConfigError(f"{short(word)}: {count}; a sweep has at least 2 and at most {MOST_VALUES:,} points")
    return [*map(str, values)]


def _divided(word: str, text: str, sign: str) -> list[str]:
    """Return the parts of a text between separators, except separators within quotes or brackets."""
    parts, began, depth, quote, escaped, begins = [], 0, 0, "", False, True
    for place, letter in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped, quote = letter == "\\", "" if letter == quote else quote
        elif letter in "'\"" and begins:  # elsewhere it is an apostrophe
            quote = letter
        else:
            depth += (letter in "[{(") - (letter in "]})")
            if letter == sign and not depth:
                parts.append(text[began:place])
                began = place + 1
            begins = letter in "[{(,:" or (begins and letter.isspace())
        if not 0 <= depth <= DEEPEST:
            break
    if quote or depth:
        raise _not_understood(word)
    return [*parts, text[began:]]


def _whole(word: str, text: str) -> Value:
    """Return a text's value: a list or dictionary if it is in brackets, else the text itself."""
    text = text.strip()
    first, last = text[:1], text[-1:]
    if first == "[" and last == "]":
        return [_whole(word, each) for each in _inner(word, text)]
    if first == "{" and last == "}":
        entries = [_divided(word, each, ":") for each in _inner(word, text)]
        if any(len(entry) != 2 for entry in entries):
            raise _not_understood(word)
        return {str(_whole(word, name)): _whole(word, value) for name, value in entries}
    if QUOTED.fullmatch(text):
        return Quoted(re.sub(r"\\([\\'\"])", r"\1", text[1:-1]))
    if first and first in "[{'\"":
        raise _not_understood(word)
    return text


def _inner(word: str, text: str) -> list[str]:
    parts = _divided(word, text[1:-1], ",")
    return parts if len(parts) > 1 or parts[0].strip() else []
