"""The help of an experiment, `python run.py experiment=NAME --help`: its keys, their values and what is allowed."""

import enum
import types
import typing

from lab.config.base import Base
from lab.config.experiments import experiments
from lab.config.identity import each
from lab.config.kinds import choices, kind_of

SIGNS = {"at_least": ">=", "above": ">", "at_most": "<="}


def print_help(settings: Base) -> None:
    """Print one line per key: its value in these settings, and which values are allowed."""
    kind, headline = kind_of(settings), experiments().get(settings.name)
    if headline:
        print(f"experiment={settings.name}: {headline}\n")
    print(f"Keys of a {kind} (python run.py experiment=NAME key=value ...):\n")
    rows = [(f"{one.key}={one.shown}", _allowed(settings, one.key, one.metadata)) for one in each(settings)]
    width = min(48, max(len(word) for word, _ in rows))
    for word, allowed in rows:
        print(f"  {word:{width}}  {allowed}".rstrip())
    print("\nA sweep: python run.py -m experiment=NAME key=value,value ...   Without an experiment: the list of them")
    print("Runs that are there: python run.py runs help")


def _allowed(settings: Base, key: str, metadata: dict) -> str:
    if key in settings.GROUPS:
        return " | ".join(choices(type(settings), key))
    return ", ".join(filter(None, [_type(_annotation(settings, key)), _bounds(metadata)]))


def _annotation(settings: Base, key: str):
    node, (*sections, name) = settings, key.split(".")
    for section in sections:
        node = getattr(node, section)
    return typing.get_type_hints(type(node))[name]


def _type(annotation) -> str:
    if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        return " | ".join(member.name for member in annotation)
    if typing.get_origin(annotation) is types.UnionType:
        return " or ".join(_type(part) for part in typing.get_args(annotation))
    if typing.get_origin(annotation) is list:
        return f"[{_type(*typing.get_args(annotation))}, ...]"
    names = {int: "whole number", float: "number", bool: "true | false", str: "text", type(None): "null"}
    return names.get(annotation, "names and words" if typing.get_origin(annotation) is dict else str(annotation))


def _bounds(metadata: dict) -> str:
    return " and ".join(f"{sign} {metadata[name]}" for name, sign in SIGNS.items() if name in metadata)
