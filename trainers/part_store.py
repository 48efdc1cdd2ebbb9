"""The finished parts of an unfinished run, from which a killed run goes on.

They lie in `partial/` of the run's directory until the run is done: the rows of a part as `NAME.json`, a block of
episodes and a trained learner as `NAME.npz`, each after a line with its SHA-256. Parts made by other settings and
damaged files are not used.
"""

import hashlib
import io
import json
import pathlib
import re
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict

from lab.runs import console, own_files
from lab.runs.hosts import on_first_process

IDENTITY = "identity.json"
Row = dict
Tree = dict  # a tree of dictionaries with arrays at the leaves
R = TypeVar("R", list[Row], dict[str, list[Row]])
L = TypeVar("L")  # a learner


class Partial:
    """The finished parts of one run.

    Args:
        folder: where they are kept.
        identity: identifies settings and code; parts of another identity are removed.
    """

    def __init__(self, folder: pathlib.Path, identity: str):
        self.folder, self.identity = folder, identity
        self._drop_others()

    def rows(self, name: str) -> Any:
        """Return the rows, or tables of rows, that `keep_rows` stored under this name; None if there are none."""
        content = self._read(f"{_file(name)}.json")
        return None if content is None else json.loads(content)

    def keep_rows(self, name: str, rows: R) -> R:
        """Store rows, or tables of rows, and return them as they will be read."""
        text = json.dumps(rows, default=_plain)
        self._write(f"{_file(name)}.json", text.encode())
        return json.loads(text)

    def tree(self, name: str) -> Tree | None:
        """Return the arrays that `keep_tree` stored under this name; None if there are none."""
        arrays = self._arrays(name)
        return None if arrays is None else unflatten_dict(arrays, sep="/")

    def keep_tree(self, name: str, tree: Tree) -> None:
        """Store a tree of arrays on the host."""
        # Any: to a type checker each might be `allow_pickle`, a bool
        keywords: dict[str, Any] = dict(flatten_dict(tree, sep="/"))
        np.savez(packed := io.BytesIO(), **keywords)
        self._write(f"{_file(name)}.npz", packed.getvalue())

    def learner(self, name: str, like: L) -> L | None:
        """Return the learner stored under this name, of the structure of `like`; None if there is none."""
        arrays = self._arrays(name)
        if arrays is None:
            return None
        leaves = [jnp.asarray(arrays[str(place)]) for place in range(len(arrays))]
        return jax.tree.unflatten(jax.tree.structure(like), leaves)

    def keep_learner(self, name: str, learner: L) -> L:
        """Store a trained learner, or several with axes in front, and return it as it will be read."""
        self.keep_tree(name, {str(i): np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(learner))})
        kept_learner = self.learner(name, learner)
        assert kept_learner is not None  # it was written above
        return kept_learner

    def place(self, name: str) -> pathlib.Path:
        """Return a folder for the saved states of a training."""
        self._begin()
        return self.folder / _file(name)

    @on_first_process
    def clear(self) -> None:
        """Remove all parts: the run is done, or begins anew."""
        own_files.remove(self.folder, own_files.PARTS)

    @on_first_process
    def _begin(self) -> None:
        """Make the folder, and write the identity of its parts."""
        if not (self.folder / IDENTITY).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(self.folder / IDENTITY, self.identity.encode())

    @on_first_process
    def _drop_others(self) -> None:
        if _read(self.folder / IDENTITY) != self.identity.encode():
            own_files.remove(self.folder, own_files.PARTS)

    @on_first_process
    def _read(self, file: str) -> bytes | None:
        return _read(self.folder / file)

    def _arrays(self, name: str) -> dict[str, np.ndarray] | None:
        if (content := self._read(f"{_file(name)}.npz")) is None:
            return None
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return dict(arrays)

    @on_first_process
    def _write(self, file: str, content: bytes) -> None:
        self._begin()
        _write(self.folder / file, content)


def _write(path: pathlib.Path, content: bytes) -> None:
    """Write a file whole, its content after a line with the SHA-256."""
    with own_files.whole(path) as temporary:
        temporary.write_bytes(hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def _read(path: pathlib.Path) -> bytes | None:
    """Return the content of a file that `_write` has written; None if the file is missing or damaged."""
    if not path.is_file():
        return None
    digest, _, content = path.read_bytes().partition(b"\n")
    if digest == hashlib.sha256(content).hexdigest().encode():
        return content
    console.say(f"{path} is damaged: what it held is made again")
    return None


def _file(name: str) -> str:
    """Return a file name for the name of a part. Different parts have different files."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_.=-]+', '_', name)[:60]}-{digest}"


def _plain(value):
    """Return a NumPy scalar as a Python number."""
    return value.item()
