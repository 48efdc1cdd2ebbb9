"""The help of an experiment, `python run.py experiment=NAME --help`: its keys, their values and what is allowed."""

import typing

from lab.config.allowed import SIZES, allowed
from lab.config.base import Base
from lab.config.experiments import experiments
from lab.config.identity import each
from lab.config.kinds import choices, kind_of


def print_help(settings: Base) -> None:
    """Print one line per key: its value in these settings, and which values are allowed."""
    kind, headline = kind_of(settings), experiments().get(settings.name)
    if headline:
        print(f"experiment={settings.name}: {headline}\n")
    print(f"Keys of a {kind} (python run.py experiment=NAME key=value ...):\n")
    rows = [(f"{one.key}={one.shown}", _allowed(settings, one.key, one.metadata)) for one in each(settings)]
    width = min(48, max(len(word) for word, _ in rows))
    for word, values in rows:
        print(f"  {word:{width}}  {values}".rstrip())
    print(f"\nA number that is not whole is 0 or of one of the {SIZES}.")
    print("A sweep: python run.py -m experiment=NAME key=value,value ...   Without an experiment: the list of them")
    print("Runs that are there: python run.py runs help")


def _allowed(settings: Base, key: str, metadata: dict) -> str:
    if key in settings.GROUPS:
        return " | ".join(choices(type(settings), key))
    return allowed(_annotation(settings, key), metadata)


def _annotation(settings: Base, key: str):
    node, (*sections, name) = settings, key.split(".")
    for section in sections:
        node = getattr(node, section)
    return typing.get_type_hints(type(node))[name]
