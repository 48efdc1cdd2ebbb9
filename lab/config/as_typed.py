"""Words whose values are texts, with the texts as a user typed them.

Hydra reads `text.labels=[true,1e3,2_0]` as a truth value and two numbers, of which a key of texts would make True,
1000.0 and 20. In words of such keys what stands for no text is put in quotes before Hydra reads it.
"""

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Iterator, Sequence

from hydra.errors import OverrideParseException

from lab.config.kinds import KINDS, SCHEMAS
from lab.config.words import parse_word

WORD = re.compile(r"(\+{0,2}([A-Za-z_][\w.]*)=)(.+)", re.DOTALL)
BETWEEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:[^][,'"\\]|\\.)+""")  # quoted texts, and what is not
UNQUOTED = re.compile(r"[\w.+-]+")


def as_typed(words: Sequence[str]) -> list[str]:
    """Return the words of a command line, in which texts that look like numbers or truth values are in quotes."""
    return [_quoted(word, tuple(KINDS), tuple(map(len, SCHEMAS.values()))) for word in words]


@functools.lru_cache(maxsize=4096)
def _quoted(word: str, kinds: tuple[str, ...], schemas: tuple[int, ...]) -> str:
    match = WORD.fullmatch(word)
    if match is None or (as_list := _texts(kinds, schemas).get(match[2])) is None:
        return word
    return match[1] + BETWEEN.sub(lambda part: _in_quotes(part[0], as_list), match[3])


def _in_quotes(part: str, as_list: bool) -> str:
    """Return a part of a value, in quotes if Hydra takes it for no text; null alone is no text of a list only."""
    bare = part.strip()
    if not UNQUOTED.fullmatch(bare):
        return part
    try:
        value = parse_word(f"key={bare}").value()
    except OverrideParseException:
        return part
    is_other = isinstance(value, bool | int | float) or (value is None and as_list)
    return part.replace(bare, f"'{bare}'") if is_other else part


@functools.lru_cache(maxsize=8)
def _texts(kinds: tuple[str, ...], schemas: tuple[int, ...]) -> dict[str, bool]:
    """Return {key: whether it is a list} of the keys that are texts wherever they occur.

    Args:
        kinds, schemas: what there is, to which a file of the user's own may add.
    """
    annotations: dict[str, set[bool | None]] = {}
    every = [("", KINDS[kind].schema) for kind in kinds]
    every += [(f"{group}.", schema) for group, rows in SCHEMAS.items() for schema in rows.values()]
    for start, schema in every:
        for key, annotation in _keys(start, schema):
            annotations.setdefault(key, set()).add(_is_list_of_texts(annotation))
    return {key: bool(which.pop()) for key, which in annotations.items() if len(which) == 1 and None not in which}


def _keys(start: str, schema: type) -> Iterator[tuple[str, object]]:
    for name, annotation in typing.get_type_hints(schema).items():
        if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
            yield from _keys(f"{start}{name}.", annotation)
        else:
            yield f"{start}{name}", annotation


def _is_list_of_texts(annotation: object) -> bool | None:
    """Return True for a list of texts, False for a text, or a text or null, and None for anything else."""
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        allowed = {each for each in typing.get_args(annotation) if each is not type(None)}
        return False if allowed == {str} else None
    return {str: False, list[str]: True}.get(typing.cast(typing.Any, annotation))
