"""The settings that results depend on: when two settings are one run, one training, or one program.

All of it is read off the settings' own fields and their metadata (`lab/config/base.py`). A setting that has its default
does not count, so a new field with its default leaves the name of every finished run as it was.
"""

import dataclasses
import enum
import functools
import hashlib
import importlib.util
import json
import pathlib
import typing
from collections.abc import Container, Iterator, Mapping
from types import MappingProxyType

import yaml

from lab.config.base import Base
from lab.config.imported import parsed, with_neighbours

WORDS = ("sentence", "unit")  # metadata for readers; no program depends on it
hints = functools.cache(typing.get_type_hints)


class Setting(typing.NamedTuple):
    """One key of the command line (`train.steps`), its value, default, metadata (including marks of its section) and
    type."""

    key: str
    value: object
    default: object
    metadata: dict
    annotation: typing.Any

    @property
    def shown(self) -> str:
        """The value as a command line spells it."""
        return shown(self.value)

    @property
    def sentence(self) -> str:
        """The meaning of the key, with the unit of its value; "" where a user's own settings give none."""
        text, unit = self.metadata.get("sentence", ""), self.metadata.get("unit", "")
        return f"{text} In {unit}." if unit else text


def iter_settings(settings: Base) -> Iterator[Setting]:
    """All keys in their order. A key that chooses a schema (`task`) has the schema's name as its value; the keys of the
    schema follow (`task.scale`), each with the schema's default. Numbers of a schema are traced where their type is
    float (`tasks/settings.py`)."""
    for one in of_section("", settings, type(settings)(), whole=settings.GROUPS):
        if one.key not in settings.GROUPS:
            yield one
            continue
        schema, traced = getattr(settings, one.key), {"traced": True}
        name = None if schema is None else schema.name
        yield one._replace(value=name, default=settings.GROUPS[one.key])
        marks = {mark: value for mark, value in one.metadata.items() if mark not in WORDS}
        for each in () if schema is None else of_schema(one.key, type(schema), schema, marks):
            yield each._replace(metadata=each.metadata | traced) if each.annotation is float else each


def of_schema(key: str, schema: type, node: object = None, marks: Mapping = MappingProxyType({})) -> Iterator[Setting]:
    """The keys of a schema that a key chooses, with the values in `node` or else their defaults."""
    standard = schema()
    return (one for one in of_section(f"{key}.", node or standard, standard, marks) if one.key != f"{key}.name")


def of_section(
    prefix: str, node, default, marks: Mapping = MappingProxyType({}), whole: Container[str] = ()
) -> Iterator[Setting]:
    """The keys of a section and of the sections in it, but those called `whole`. They inherit the section's metadata
    but its sentence.
    """
    for name, own, words, annotation in _fields(type(node)):
        value, standard = getattr(node, name), getattr(default, name)
        if dataclasses.is_dataclass(value) and name not in whole:
            yield from of_section(f"{prefix}{name}.", value, standard, {**marks, **own})
        else:
            yield Setting(prefix + name, _plain(value), _plain(standard), {**marks, **own, **words}, annotation)


@functools.cache
def _fields(kind: type) -> list[tuple[str, dict, dict, typing.Any]]:
    """Return (name, marks and limits, sentence and unit, type) of each field of a section."""
    described = []
    for f in dataclasses.fields(kind):
        own = {mark: each for mark, each in f.metadata.items() if mark not in WORDS}
        described.append((f.name, own, _words(kind, f), hints(kind)[f.name]))
    return described


def differences(settings: Base) -> dict[str, object]:
    """{key: value} of the settings that the results depend on and that differ from their defaults."""
    return {setting.key: setting.value for setting in hashed(settings) if setting.value != setting.default}


def shown_differences(settings: Base) -> dict[str, str]:
    """`differences` with its values as texts, as a command line spells them."""
    return {setting.key: setting.shown for setting in hashed(settings) if setting.value != setting.default}


def config_hash(settings: Base) -> str:
    """The hash that names a run: ten hexadecimal digits of all settings that the results depend on."""
    return _digits(settings, differences(settings))


def training_hash(settings: Base) -> str:
    """The hash of all settings that the training depends on. Two runs with equal hashes can share their training."""
    late = {setting.key for setting in iter_settings(settings) if setting.metadata.get("after_training")}
    return _digits(settings, {key: value for key, value in differences(settings).items() if key not in late})


def program_key(settings: Base) -> str:
    """Return a key that is equal for runs that can share a compiled program. It holds the settings that results depend
    on, except traced numbers (they are a population's data), and the settings that limit memory. A run that may stop
    early shares its program with no other, so its traced numbers count too.
    """
    stops = any(s.key.endswith(".until") and s.value is not None for s in hashed(settings))
    static = {s.key: s.value for s in hashed(settings) if stops or not s.metadata.get("traced")}
    chunks = {s.key: s.value for s in iter_settings(settings) if s.key.endswith(".chunk")}
    return json.dumps(static | chunks | {"use": _own_code(settings)}, sort_keys=True)


def hashed(settings: Base) -> Iterator[Setting]:
    """The settings that the results depend on."""
    return (setting for setting in iter_settings(settings) if not setting.metadata.get("not_hashed"))


def values(settings: Base) -> dict[str, object]:
    """{key: value} of all settings that the results depend on, including defaults, in the types of JSON."""
    return {setting.key: setting.value for setting in hashed(settings)}


def _digits(settings: Base, values: dict[str, object]) -> str:
    text = json.dumps({"kind": type(settings).__name__, "use": _own_code(settings)} | values, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _own_code(settings: Base) -> str:
    """The SHA-256 of the user's own file, if there is one."""
    return code_hash(settings.use) if settings.use else ""


@functools.cache
def code_hash(use: str) -> str:
    """The SHA-256 of a user's Python file, given by its path or by a module's name. If it imports modules beside it,
    the result is the SHA-256 of the list of all their sums.
    """
    sums = {name: parsed(path)[0] for name, path in with_neighbours(own_file(use)).items()}
    if len(sums) == 1:
        return next(iter(sums.values()))
    return hashlib.sha256(json.dumps(sums, sort_keys=True).encode()).hexdigest()


def own_file(use: str) -> pathlib.Path:
    """Return the Python file of `use=`, which is its path or the name of a module.

    Raises:
        ModuleNotFoundError: there is no such module, or it has no file.
    """
    path = pathlib.Path(use)
    if path.suffix == ".py":
        return path
    spec = importlib.util.find_spec(use)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"no module named {use!r} that has a file")
    return pathlib.Path(spec.origin)


def _words(owner: type, f: dataclasses.Field) -> dict:
    """Return the sentence and the unit of a field, or else of the field that it overrides."""
    fields = (vars(base).get("__dataclass_fields__", {}).get(f.name) for base in (owner, *owner.__mro__[1:]))
    metadata = next((each.metadata for each in fields if each and each.metadata.get("sentence")), {})
    return {name: metadata[name] for name in WORDS if name in metadata}


def to_yaml(settings: Base) -> str:
    """Return all settings by section, as the text of `config.yaml`."""
    return yaml.safe_dump(_plain(settings), sort_keys=False, allow_unicode=True, width=1000)


def _plain(value):
    """Return a value in the types of JSON."""
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, enum.Enum):
        return value.name
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def shown(value: object) -> str:
    """A value as a command line spells it."""
    if isinstance(value, list):
        return "[" + ",".join(map(shown, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
