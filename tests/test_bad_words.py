"""Some 300 command lines with one bad word each, over all kinds: each is refused in one line before anything is run.

Each key that any kind has gets a value that it does not allow, in one of the kinds that have it; and each kind gets
words that are wrong in ways that do not depend on their key.
"""

import dataclasses
import enum
import itertools
import re
import time
import typing
import zlib
from collections.abc import Iterator

import pytest

from lab.config.base import Base
from lab.config.kinds import KINDS
from tests.command_line import lab_here

SECONDS = 5.0  # of the processor, for one word
FEWEST = 300
INSIDES = re.compile(r"Exception|\w+Error\b|Traceback|NoneType|subclass|usage:")  # of a parser or of a class
LONG = "x" * 3000


class Key(typing.NamedTuple):
    """One key of a kind, with the type and the metadata of its field."""

    name: str
    annotation: typing.Any
    metadata: typing.Mapping


def keys(schema: type, prefix: str = "") -> Iterator[Key]:
    """All keys of a dataclass of settings; not those of a task or of data, which are chosen on the command line."""
    hints = typing.get_type_hints(schema)
    for field in dataclasses.fields(schema):
        annotation = hints[field.name]
        if not prefix and field.name in schema.GROUPS:
            continue
        if dataclasses.is_dataclass(annotation):
            yield from keys(annotation, f"{prefix}{field.name}.")
        else:
            yield Key(f"{prefix}{field.name}", annotation, field.metadata)


def picked(options: list, name: str):
    """One of several, the same in every process."""
    return options[zlib.crc32(name.encode()) % len(options)]


def wrong_values(key: Key) -> list[str]:
    """Values that the key does not allow, as a command line has them."""
    annotation, metadata = key.annotation, key.metadata
    parts = typing.get_args(annotation)
    optional = type(None) in parts and typing.get_origin(annotation) is not list
    values = [] if optional else ["null"]
    if optional:
        (annotation,) = (part for part in parts if part is not type(None))
    if typing.get_origin(annotation) is list:
        (inner,) = parts
        values += ["{a:1}", "[{a:1}]", *([f"[{value}]" for value in wrong_scalars(inner, metadata)])]
        values += ["3"]
    elif typing.get_origin(annotation) is dict:
        values += ["3", "[a]", "word"]
    else:
        values += ["[1]", "{a:1}", *wrong_scalars(annotation, metadata)]
    return values


def wrong_scalars(annotation: type, metadata: typing.Mapping) -> list[str]:
    if annotation is int:
        out_of_bounds = [str(metadata["at_least"] - 1)] if "at_least" in metadata else []
        return ["many", "1.5", "1e3", "''", "99999999999999999999999999", *out_of_bounds]
    if annotation is float:
        bounds = [f"{metadata[name] + by:.17g}" for name, by in BEYOND.items() if name in metadata]
        return ["many", "nan", "-inf", "1e300", "''", *bounds]
    if annotation is bool:
        return ["maybe", "1.5", "''"]
    if issubclass(annotation, enum.Enum):
        return ["nosuch", "''", f"'{next(iter(annotation)).name}x'"]
    return ["[1]", "{a:1}"]


BEYOND = {"at_least": -1, "above": 0, "at_most": 1}


def bad_values() -> dict[str, list[tuple[list[str], str]]]:
    """{kind: (words, what the line must name)}: one for every key, in one of the kinds that have it."""
    having: dict[str, list[tuple[str, Key]]] = {}
    for kind in sorted(KINDS):
        for key in keys(KINDS[kind].schema):
            having.setdefault(key.name, []).append((kind, key))
    cases: dict[str, list[tuple[list[str], str]]] = {kind: [] for kind in KINDS}
    for name, kinds in having.items():
        kind, key = picked(kinds, name)
        cases[kind].append(([f"{name}={picked(wrong_values(key), f'{kind} {name}')}"], name))
    return cases


def bad_forms(kind: str) -> list[tuple[list[str], str]]:
    """(words, what the line must name): words that no key takes in this form, for keys that differ between kinds."""
    all_keys = [key for key in keys(KINDS[kind].schema) if "." in key.name]
    numbers = [key.name for key in all_keys if key.annotation in (int, float)]
    choices = [
        key.name for key in all_keys if isinstance(key.annotation, type) and issubclass(key.annotation, enum.Enum)
    ]
    one, two, three, four = (picked(numbers, f"{kind}{place}") for place in range(4))
    section, _, last = one.rpartition(".")
    misspelt = f"{section}.{last[:1]}{last[2:]}" if len(last) > 2 else f"{section}.{last}x"
    forms: list[tuple[list[str], str]] = [
        ([f"{misspelt}=1"], f"did you mean {last}?"),
        ([f"+{misspelt}=1"], misspelt),
        ([f"{two}=1,2"], f"-m ... {two}=1,2"),
        (["-m", f"{two}=nosuch,1"], two),
        ([f"~{three}"], three),
        ([f"~{section}"], section),
        ([f"+{three}=1"], f"leave the + out, {three}="),
        ([f"++{three}=many"], three),
        ([f"{four}=[1"], f"{four}=[1: not understood"),
        ([f"{four}='1"], f"{four}='1: not understood"),
        ([f"{four}={{a:"], f"{four}={{a:: not understood"),
        ([f"{one}=zwölf"], f"{one}=zwölf"),
        ([f"{one}={LONG}"], one),
        ([f"{one}=${{nosuch}}"], f"{one}=${{nosuch}}"),
        ([f"{two}=???"], two),
        ([f"{section}=3"], f"{section}=3: a section"),
        ([f"{one}.more=3"], one),
        ([f"{picked(choices or ['device.require'], kind)}=nosuch"], "nosuch: allowed: "),
        ([f"--{one}=1"], "no such option"),
        (["="], "=: not understood"),
        ([one], f"{one}: not understood"),
        ([f"{one}=\n"], one),
        ([f"{one}=\udcff"], "UTF-8"),
        (["run.dir="], "run.dir="),
        ([f"{two}=1e3 e"], two),
        (["task=rag_dt"] if "task" in KINDS[kind].schema.GROUPS else ["task=plain"], "task"),
        (["data@x=bike"], "data@x=bike"),
    ]
    start = zlib.crc32(kind.encode()) % len(forms)
    return [*itertools.islice(itertools.cycle(forms), start, start + FORMS_PER_KIND)]


FORMS_PER_KIND = 7


def cases(kind: str) -> list[tuple[list[str], str]]:
    return [*bad_values()[kind], *bad_forms(kind)]


def experiment(schema: type[Base]) -> str:
    return next(word for word in schema.TINY if word.startswith("experiment="))


def fault(kind: str, words: list[str], named: str, tmp_path) -> str:
    """Return what is wrong with the answer to a command line, "" if nothing is."""
    began = time.process_time()
    try:
        done = lab_here(experiment(KINDS[kind].schema), *words, cwd=tmp_path)
    except Exception as error:
        return f"a traceback, {type(error).__name__}: {error}"
    if (spent := time.process_time() - began) > SECONDS:
        return f"{spent:.1f} s"
    if done.returncode != 1:
        return f"status {done.returncode}"
    lines = done.stderr.splitlines()
    if len(lines) != 1 or not lines[0].startswith("error: ") or done.stdout:
        return f"{len(lines)} lines: {done.stderr}{done.stdout}"
    (said,) = lines
    if INSIDES.search(said):
        return f"insides: {said}"
    if named not in said:
        return f"does not name {named}: {said}"
    return "too long: " + said[:100] if len(said) > 1500 else ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_bad_word_is_refused_in_one_line(kind, tmp_path, monkeypatch):
    def launch(*_, **__):
        raise AssertionError("it would be run")

    monkeypatch.setattr("trainers.launch.launch", launch)
    faults = {" ".join(words)[:200]: fault(kind, words, named, tmp_path) for words, named in cases(kind)}
    assert not {words: why for words, why in faults.items() if why}
    assert list(tmp_path.iterdir()) == []


def test_there_are_enough_of_them():
    assert sum(len(cases(kind)) for kind in KINDS) >= FEWEST
