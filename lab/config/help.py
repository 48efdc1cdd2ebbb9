"""The help of an experiment, `python run.py experiment=NAME --help`: its keys, their values, what is allowed, what they
mean. Lines fit 80 columns.
"""

import dataclasses
import inspect
import textwrap
from collections.abc import Mapping

from lab.config.base import Base
from lab.config.experiments import experiments
from lab.config.identity import Setting, iter_settings, of_schema, of_section
from lab.config.imported import PROGRAM
from lab.config.key_checks import SIZES, allowed
from lab.config.kinds import choices, kind_of

COLUMNS = 80
ALLOWED = 34  # the column in which the allowed values begin
SENTENCE = " " * 6  # in front of a key's sentence


def print_help(settings: Base) -> None:
    """Print each key with its value in these settings, the allowed values and a sentence: first the keys that people
    change first, then all by section."""
    kind, question = kind_of(settings), experiments().get(settings.name)
    keys = {one.key: one for one in iter_settings(settings)}
    if question:
        print(_filled(f"experiment={settings.name}: {question}") + "\n")
    print(f"Keys of a {kind} ({PROGRAM} experiment=NAME key=value ...).\n\nWhat people change first:")
    for key in settings.FIRST:
        if key in keys:
            _print_key(settings, keys[key])
    for title, members in _sections(settings, [*keys]):
        print(f"\n{_filled(title)}")
        for key in members:
            _print_key(settings, keys[key])
    print(f"\n{_filled(f'A number that is not whole is 0 or of one of the {SIZES}.')}")
    print(f"A sweep: {PROGRAM} -m experiment=NAME key=value,value ...")
    print(f"The list of experiments: {PROGRAM}\nStored runs: {PROGRAM} runs help")


def _sections(settings: Base, keys: list[str]) -> list[tuple[str, list[str]]]:
    """Return (title, keys) of each section: the kind's own keys and its sections, then those that every kind has."""
    common = {f.name for f in dataclasses.fields(Base)} - {"seed"}
    members: dict[tuple[bool, str], list[str]] = {}
    for key in keys:
        first = key.split(".")[0]
        section = first if "." in key or first in settings.GROUPS else ""
        members.setdefault((first in common, section), []).append(key)
    sections = sorted(members, key=lambda section_key: (section_key[0], section_key[1] != ""))
    return [(_title(settings, *section_key), members[section_key]) for section_key in sections]


def _title(settings: Base, is_common: bool, section: str) -> str:
    """Return the title of a section: its name, and the first sentence of its class unless a key chooses the class."""
    if not section:
        return "Of every experiment:" if is_common else "Of this experiment:"
    kind = type(getattr(settings, section))
    description = "" if section in settings.GROUPS else inspect.getdoc(kind) or ""
    if description.startswith(f"{kind.__name__}("):  # Python's generated docstring, where -OO has removed the lab's
        description = ""
    sentence = " ".join(description.split()).partition(". ")[0]
    return f"{section}: {sentence.rstrip('.')}." if sentence else f"{section}:"


def _print_key(settings: Base, one: Setting) -> None:
    is_choice = one.key in settings.GROUPS
    values = " | ".join(choices(type(settings), one.key)) if is_choice else allowed(one.annotation, one.metadata)
    word = f"  {one.key}={one.shown}"
    if len(word) < ALLOWED - 1:
        print(_filled(values, f"{word:{ALLOWED}}", " " * ALLOWED) or word)
    else:
        print(_filled(word, "", "    "))
        if values:
            print(_filled(values, SENTENCE, SENTENCE))
    if one.sentence:
        print(_filled(one.sentence, SENTENCE, SENTENCE))


def _filled(text: str, begin: str = "", further: str = "") -> str:
    wrapper = textwrap.TextWrapper(COLUMNS, initial_indent=begin, subsequent_indent=further, break_on_hyphens=False)
    return wrapper.fill(text)


def meanings(schema: type[Base], chosen: Mapping[str, object]) -> dict[str, str]:
    """Return {key: sentence}; "" for a user's own field without a sentence.

    Args:
        schema: the settings of the kind.
        chosen: {key: name of the schema} of keys that choose a schema, such as `task`; missing ones have their default.
            Sentences of keys in other schemas are added, as the points of a sweep may choose differently.
    """
    defaults = schema()
    every = [*of_section("", defaults, defaults, whole=schema.GROUPS)]
    for key, default in schema.GROUPS.items():
        allowed = choices(schema, key)
        for each in (*filter(None, [allowed.get(str(chosen.get(key, default)))]), *allowed.values()):
            every += of_schema(key, each)
    return {one.key: one.sentence for one in reversed(every)}  # of schemas with one key the first counts
