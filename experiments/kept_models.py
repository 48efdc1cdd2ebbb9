"""Trained models that come with the lab: finished runs of a few kB each, in `kept/NAME/`, opened by `lab.load(NAME)`.

`kept/manifest.json` has for each its command, its seed, the revision of the code, the losses on fresh episodes, and the
SHA-256 of every file. `python -m experiments.keep_models` makes them from `kept/models.csv`.
"""

import functools
import json
import pathlib
from typing import Any

from experiments import KEPT
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from tasks.datasets.files import sha256

MANIFEST = KEPT / "manifest.json"


@functools.cache
def manifest() -> dict[str, dict[str, Any]]:
    """Return {name: what is written about the model}: `shows`, `command`, `seed`, `revision`, `losses`, `files`."""
    return json.loads(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.exists() else {}


def directory(name: str) -> RunDirectory:
    """Return the directory of a kept model, after a comparison of its files with the manifest.

    Raises:
        UserError: a file is missing or has another checksum.
        KeyError: there is no such model.
    """
    for file, checksum in manifest()[name]["files"].items():
        path = KEPT / name / file
        if not path.is_file() or sha256(path) != checksum:
            what = "has another checksum than its manifest says" if path.is_file() else "is missing"
            raise UserError(f"kept model {name}: {path} {what}; get the file again, or: {command(name)}")
    return RunDirectory(KEPT / name)


def command(name: str) -> str:
    """Return the command that makes a kept model."""
    return f"python -m experiments.keep_models {name}"


def file_list(folder: pathlib.Path) -> dict[str, str]:
    """Return {name: SHA-256} of the files of a folder."""
    return {path.name: sha256(path) for path in sorted(folder.iterdir())}
