"""A run's provenance.json: all that made the run, besides its own settings.

    code         {file: SHA-256} of its kind's settings.py and run.py, of every module of the lab that these import, and
                 of the user's own file (`use=`)
    computed_by  versions of what computes, the devices, and flags that change numbers (`lab.runs.environment`)
    starts_from  {NAME/HASH: {key: value}} of its inputs (the runs that it starts from, and their inputs): the values
                 of all keys that results depend on, as an input may be made again later
    earlier      {SHA-256: {code, computed_by}} of earlier makers: of the saved state that it went on from, and of the
                 runs that it starts from

Imports are read from the text of the files (`lab.config.imported`).
"""

import functools
import hashlib
import json
import pathlib
from collections.abc import Mapping
from typing import Any

from lab.config.base import Base
from lab.config.compose import compose_run
from lab.config.identity import config_hash, own_file, values
from lab.config.imported import PACKAGES, ROOT, parsed, with_neighbours
from lab.config.kinds import KINDS
from lab.runs import safe_read
from lab.runs.environment import computed_by
from lab.runs.hosts import on_first_process
from lab.runs.safe_read import legible

PROVENANCE = "provenance.json"
MAKER = ("code", "computed_by")  # the entries that name a maker
Makers = dict[str, dict[str, dict[str, str]]]  # {SHA-256: {code, computed_by}}


def provenance(settings: Base, earlier: Mapping[str, dict] | None = None) -> dict[str, dict]:
    """Return the entries of provenance.json for a run that begins now, or goes on.

    Args:
        earlier: the makers of the saved state that it goes on from.
    """
    needed_runs, makers = inputs(settings), dict(earlier or {})
    for place in needed_runs:
        makers |= makers_in(pathlib.Path(settings.run.dir) / place)
    ((name, own),) = today(settings).items()
    makers.pop(name, None)
    return {**own, "starts_from": {place: values(needed) for place, needed in needed_runs.items()}, "earlier": makers}


def digest(settings: Base) -> str:
    """Return one hash of all that makes a run: its settings, its inputs, code, versions and devices."""
    return _sha256({"settings": values(settings)} | provenance(settings))


def today(settings: Base) -> Makers:
    """Return the maker of a run that is computed by this process."""
    own = {"code": code(settings), "computed_by": computed_by()}
    return {_sha256(own): own}


@on_first_process
def makers_in(folder: pathlib.Path) -> Makers:
    """Return all makers of a directory's run, in order; {} if the run is older than provenance.json.

    Raises:
        UserError: the file is damaged.
    """
    entries = stored(folder)
    own = {key: entries[key] for key in MAKER if key in entries}
    return {**entries.get("earlier", {}), **({_sha256(own): own} if own else {})}


def stored(folder: pathlib.Path) -> dict:
    """Return the entries of a directory's provenance.json; {} if the run is older than this file.

    Raises:
        UserError: the file is damaged.
    """
    with legible(folder / PROVENANCE) as path:
        entries: Any = safe_read.from_json(path.read_text(encoding="utf-8")) if path.exists() else {}
        if not _are_named(entries) or not all(map(_are_named, entries.get("earlier", {}).values())):
            raise ValueError("its entries have no names")
    return entries


def _are_named(entries: object) -> bool:
    return isinstance(entries, dict) and all(isinstance(entry, dict) for entry in entries.values())


def _sha256(entries: dict) -> str:
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def inputs(settings: Base) -> dict[str, Base]:
    """Return {NAME/HASH: settings} of a run's inputs and their inputs, as their command lines mean them today."""
    needed_runs: dict[str, Base] = {}
    for words in [] if settings.has_points else settings.inputs():
        needed = compose_run(words)
        needed_runs |= {f"{needed.name}/{config_hash(needed)}": needed} | inputs(needed)
    return needed_runs


def code(settings: Base) -> dict[str, str]:
    """Return {file, relative to the lab's folder: SHA-256} of the modules that make runs with these settings."""
    kind = next((kind for kind in KINDS.values() if kind.schema is type(settings)), None)
    folder = kind.folder if kind else None
    return reached(tuple(folder / name for name in ("settings.py", "run.py")) if folder else (), settings.use)


def reached(roots: tuple[pathlib.Path, ...], use: str) -> dict[str, str]:
    """Return {file: SHA-256} of the files `roots`, of the user's own file (`use`, or ""), and of all modules of the lab
    that these import.
    """
    return dict(_code(roots, own_file(use).resolve() if use else None))


@functools.cache  # a process runs the code it has imported, even if files change later
def _code(roots: tuple[pathlib.Path, ...], own: pathlib.Path | None) -> dict[str, str]:
    hashes: dict[str, str] = {}
    own_names = {path: f"use={name}" for name, path in (with_neighbours(own) if own else {}).items()}
    waiting = [*roots, *own_names]
    places: dict[str, pathlib.Path | None] = {}
    while waiting:
        path = waiting.pop()
        name = own_names.get(path) or str(path.relative_to(ROOT))
        if name in hashes or not path.is_file():
            continue
        hashes[name], imported = parsed(path)
        for module in imported - places.keys():
            places[module] = _file(module)
        packages = [folder / "__init__.py" for folder in path.parents if folder.is_relative_to(ROOT)]
        waiting += [*packages, *(place for module in imported if (place := places[module]))]
    return dict(sorted(hashes.items()))


def _file(name: str) -> pathlib.Path | None:
    """The lab's file of a module or package; None for a name in a module, and for modules of other packages."""
    first, *rest = name.split(".")
    if first not in PACKAGES:
        return None
    path = ROOT.joinpath(first, *rest)
    candidates = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((place for place in candidates if place.is_file()), None)
