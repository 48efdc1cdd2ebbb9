"""The sentences of the keys of a kind, without settings of it: for reports, which are made from files alone."""

import dataclasses
from collections.abc import Iterator, Mapping

from lab.config.base import Base
from lab.config.identity import default_of, sentence_of
from lab.config.kinds import SCHEMAS, choices


def meanings(schema: type[Base], chosen: Mapping[str, object]) -> dict[str, str]:
    """Return {key: sentence}, "" where a field of the user's own has none.

    Args:
        schema: the settings of the kind.
        chosen: {key: the name of its schema} of keys that choose one, such as `task`; others have their default. Keys
            that the chosen schema has not are those of another one that has them: the points of a sweep may differ.
    """
    sentences: dict[str, str] = {}
    for key, default in schema.GROUPS.items():
        name = str(chosen.get(key, default))
        allowed = choices(schema, key)
        for each in (*filter(None, [allowed.get(name)]), *allowed.values()):
            for inner, sentence in _of_section(f"{key}.", each):
                sentences.setdefault(inner, sentence)
    for f in dataclasses.fields(schema):
        default = default_of(f)
        if f.name not in schema.GROUPS and dataclasses.is_dataclass(default):
            sentences |= dict(_of_section(f"{f.name}.", type(default)))
        else:
            sentences[f.name] = sentence_of(schema, f)
    return sentences


def _of_section(prefix: str, section: type) -> Iterator[tuple[str, str]]:
    for f in dataclasses.fields(section):
        default = default_of(f)
        if dataclasses.is_dataclass(default):
            yield from _of_section(f"{prefix}{f.name}.", type(default))
        elif f.name != "name" or section not in {*SCHEMAS["task"].values(), *SCHEMAS["data"].values()}:
            yield prefix + f.name, sentence_of(section, f)
