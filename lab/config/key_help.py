"""The sentences of a kind's keys, found without any settings: reports have files alone."""

import dataclasses
from collections.abc import Iterator, Mapping

from lab.config.base import Base
from lab.config.identity import default_of, sentence_of
from lab.config.kinds import SCHEMAS, choices


def meanings(schema: type[Base], chosen: Mapping[str, object]) -> dict[str, str]:
    """Return {key: sentence}; "" for a user's own field without a sentence.

    Args:
        schema: the settings of the kind.
        chosen: {key: name of the schema} of keys that choose a schema, such as `task`; missing ones have their default.
            Sentences of keys in other schemas are added, as the points of a sweep may choose differently.
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
