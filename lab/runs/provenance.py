"""A run's provenance.json says what made it, beside its own settings.

    code         {file: SHA-256} of its kind's settings.py and run.py, of every module of the lab that these import, and
                 of the user's own file (`use=`)
    starts_from  {NAME/HASH: {key: value}} of the runs that it starts from, and of those that these start from: the
                 values of all keys that matter, as one of these runs may since have been made again

Imports are read from the text of the files, wherever in them they stand; nothing is imported for it.
"""

import functools
import hashlib
import json
import pathlib
import re

from lab.config.agreement import values
from lab.config.base import Base
from lab.config.compose import compose_run
from lab.config.identity import config_hash, own_file
from lab.config.kinds import KINDS

ROOT = pathlib.Path(__file__).parents[2]
LINE = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\((?:#[^\n]*|[^)#])*\)|[^\n#]*)|import[ \t]+([^\n#]+))", re.M
)
COMMENT = re.compile(r"#[^\n]*")


def provenance(settings: Base) -> dict[str, dict]:
    """Return what provenance.json holds of a run that begins now."""
    return {"code": code(settings), "starts_from": starts_from(settings)}


def digest(settings: Base) -> str:
    """Return one hash of all that makes a run: its settings, the runs that it starts from, and code."""
    made_by = {"settings": values(settings)} | provenance(settings)
    return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()


def starts_from(settings: Base) -> dict[str, dict]:
    """Return {NAME/HASH: {key: value}} of the runs that it starts from, and of those that these start from."""
    return {place: values(needed) for place, needed in inputs(settings).items()}


def inputs(settings: Base) -> dict[str, Base]:
    """Return {NAME/HASH: settings} of the same, as their command lines mean them today."""
    needed_runs: dict[str, Base] = {}
    for words in [] if settings.has_points else settings.inputs():
        needed = compose_run(words)
        needed_runs |= {f"{needed.name}/{config_hash(needed)}": needed} | inputs(needed)
    return needed_runs


def code(settings: Base) -> dict[str, str]:
    """Return {file, from the lab's folder on: SHA-256} of the modules that make runs of these settings."""
    kind = next((kind for kind in KINDS.values() if kind.schema is type(settings)), None)
    folder = kind.folder if kind else None
    own = own_file(settings.use).resolve() if settings.use else None
    return dict(_code(tuple(folder / name for name in ("settings.py", "run.py")) if folder else (), own))


@functools.cache  # a process computes by the code that it has imported, whatever becomes of the files meanwhile
def _code(roots: tuple[pathlib.Path, ...], own: pathlib.Path | None) -> dict[str, str]:
    """The same of everything that is reached from a kind's files and the user's own."""
    hashes: dict[str, str] = {}
    waiting = [*roots, *([own] if own else [])]
    places: dict[str, pathlib.Path | None] = {}
    while waiting:
        path = waiting.pop()
        name = f"use={path.name}" if path == own else str(path.relative_to(ROOT))
        if name in hashes or not path.is_file():
            continue
        hashes[name], imported = _parsed(path, path.stat().st_mtime_ns, path.stat().st_size)
        for module in imported - places.keys():
            places[module] = _file(module)
        packages = [folder / "__init__.py" for folder in path.parents if folder.is_relative_to(ROOT)]
        waiting += [*packages, *(place for module in imported if (place := places[module]))]
    return dict(sorted(hashes.items()))


def _file(name: str) -> pathlib.Path | None:
    """The lab's file of a module or package; None for a name in a module, and for modules of others."""
    first, *rest = name.split(".")
    if first not in _own_packages():
        return None
    path = ROOT.joinpath(first, *rest)
    candidates = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((place for place in candidates if place.is_file()), None)


@functools.cache
def _own_packages() -> set[str]:
    return {path.parent.name for path in ROOT.glob("*/__init__.py")}


@functools.cache
def _parsed(path: pathlib.Path, modified: int, size: int) -> tuple[str, frozenset[str]]:
    """(SHA-256, names that it imports) of a file as it is at that time."""
    content = path.read_bytes()
    return hashlib.sha256(content).hexdigest(), frozenset(imports(content.decode("utf-8", "replace")))


def imports(text: str) -> set[str]:
    """Return what a Python file imports, wherever in it: modules, and MODULE.NAME for each name that it takes from one.

    An example in a docstring counts too, which is one file too many at the worst. Parsing the lab's files in full takes
    twenty times as long.
    """
    names = set()
    for module, taken_names, whole in LINE.findall(text):
        if module:
            members = _listed(taken_names.strip("()"))
            names |= {module} | {f"{module}.{name}" for name in members if name != "*"}
        else:
            names |= _listed(whole)
    return names


def _listed(text: str) -> set[str]:
    """The names of `a, b as c`."""
    return {words[0] for part in COMMENT.sub("", text).split(",") if (words := part.split())}
