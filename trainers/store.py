"""The files that a killed run goes on from: saved states of its training (`checkpoints/`) and its finished parts
(`partial/`, until the run is done).

Each is one file of arrays (`.npz`) with entries of JSON. It is whole once it has its name. It is used only if it is of
the same settings and code, by the identity that it was written with, and undamaged, by the archive's checksums.
"""

import hashlib
import json
import pathlib
import re
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict

from lab.errors import UserError
from lab.runs import console, own_files
from lab.runs.hosts import on_first_process

ENTRIES = "entries"  # the name of the entries among the arrays of a file
KEPT = 2  # the number of saved states that stay; older ones are removed
Tree = dict  # a tree of dictionaries with arrays at the leaves
R = TypeVar("R", list[dict], dict[str, list[dict]])
L = TypeVar("L")  # a learner


class Store:
    """Files of arrays and entries in a folder. The first process reads and writes them, for all.

    Args:
        folder: receives the files; it is made with the first one.
        identity: identifies settings and code. Files of another identity are not read.
    """

    PATTERN: ClassVar[str]  # of the paths of all its files (`own_files`)

    def __init__(self, folder: pathlib.Path, identity: str):
        self.folder, self.identity = folder, identity

    @on_first_process
    def write(self, name: str, arrays: Mapping[str, np.ndarray], entries: object = None) -> None:
        """Write a file. NumPy's scalars among the entries become Python's numbers."""
        text = json.dumps([self.identity, entries], default=lambda scalar: scalar.item())
        # Any: to a type checker each might be `allow_pickle`, a bool
        keywords: dict[str, Any] = {**arrays, ENTRIES: np.frombuffer(text.encode(), np.uint8)}
        self.folder.mkdir(parents=True, exist_ok=True)
        with own_files.whole(self.folder / f"{name}.npz") as path, open(path, "wb") as file:
            np.savez(file, **keywords)

    @on_first_process
    def read(self, name: str) -> tuple[dict[str, np.ndarray], Any] | None:
        """Return the arrays and the entries of a file; None if it is missing, damaged, or of another identity."""
        path = self.folder / f"{name}.npz"
        if not path.is_file():
            return None
        try:
            with open(path, "rb") as file, np.load(file) as archive:
                arrays = dict(archive)
            identity, entries = json.loads(arrays.pop(ENTRIES).tobytes())
        except Exception:  # the errors of NumPy and of archives have no common type
            console.say(f"{path} is damaged: what it held is made again")
            return None
        return (arrays, entries) if identity == self.identity else None

    def write_tree(self, name: str, tree: Any, entries: object = None) -> None:
        """Write the arrays of any tree, each by its path."""
        self.write(name, {path: np.asarray(leaf) for path, leaf in leaves_of(tree)}, entries)

    def read_tree(self, name: str, like: L) -> tuple[L, Any] | None:
        """Return a tree of the structure of `like`, and the entries; None as for `read`, or for another structure."""
        if (saved := self.read(name)) is None:
            return None
        arrays, entries = saved
        expected = dict(leaves_of(like))
        for path, leaf in expected.items():
            if path in arrays and arrays[path].dtype.kind == np.dtype(leaf.dtype).kind == "V":  # a file has no bfloat16
                arrays[path] = arrays[path].view(leaf.dtype)
        if _shapes(arrays) != _shapes(expected):
            return None
        return jax.tree.unflatten(jax.tree.structure(like), [arrays[path] for path in expected]), entries

    @on_first_process
    def clear(self) -> None:
        """Remove all files of the store, and nothing else that is in its folder."""
        own_files.remove(self.folder, self.PATTERN)


class Checkpoints(Store):
    """The saved states of one training, by step. The identity is of what the training depends on."""

    PATTERN = own_files.STATES

    @property
    @on_first_process
    def steps(self) -> set[int]:
        """The steps that have a saved state."""
        return {int(path.stem) for path in self.folder.glob("*.npz") if path.stem.isdigit()}

    def save(self, step: int, tree: Any, record: dict) -> None:
        """Write the state of a step: a tree of arrays, and a record that JSON can hold.

        Raises:
            UserError: it cannot be written.
        """
        try:
            self.write_tree(str(step), tree, record)
        except OSError as error:
            line = f"cannot write a checkpoint into {self.folder} ({error.strerror or error}); those before it are kept"
            raise UserError(line) from error
        self.keep_newest(KEPT)

    def restore(self, step: int, like: L) -> tuple[L, dict] | None:
        """Return the tree and the record of a step; None if its file is damaged or of another training.

        Args:
            like: a tree of the structure, shapes and dtypes that the saved one must have.
        """
        return self.read_tree(str(step), like)

    @on_first_process
    def is_whole(self, step: int) -> bool:
        """Return whether the file of a step is undamaged and of this training."""
        return self.read(str(step)) is not None

    @on_first_process
    def keep_newest(self, count: int = 1) -> None:
        """Remove all states but the newest."""
        for step in sorted(self.steps)[:-count]:
            (self.folder / f"{step}.npz").unlink()


class Partial(Store):
    """The finished parts of one run: rows of tables, trees of arrays, and trained learners, each by a name."""

    PATTERN = own_files.PARTS

    def rows(self, name: str) -> Any:
        """Return the rows, or tables of rows, that `keep_rows` stored under this name; None if there are none."""
        saved = self.read(_file("rows", name))
        return saved and saved[1]

    def keep_rows(self, name: str, rows: R) -> R:
        """Store rows, or tables of rows, and return them as they will be read."""
        self.write(_file("rows", name), {}, rows)
        return self.rows(name)

    def tree(self, name: str) -> Tree | None:
        """Return the arrays that `keep_tree` stored under this name; None if there are none."""
        saved = self.read(_file("tree", name))
        return None if saved is None else unflatten_dict(saved[0], sep="/")

    def keep_tree(self, name: str, tree: Tree) -> None:
        """Store a tree of arrays on the host."""
        arrays: dict[str, Any] = dict(flatten_dict(tree, sep="/"))  # to a type checker some might be trees
        self.write(_file("tree", name), arrays)

    def learner(self, name: str, like: L) -> L | None:
        """Return the learner stored under this name, of the structure of `like`; None if there is none."""
        saved = self.read_tree(_file("learner", name), like)
        return None if saved is None else jax.tree.map(jnp.asarray, saved[0])

    def keep_learner(self, name: str, learner: L) -> L:
        """Store a trained learner, or several with axes in front, and return it as it will be read."""
        self.write_tree(_file("learner", name), learner)
        kept_learner = self.learner(name, learner)
        assert kept_learner is not None  # it was written above
        return kept_learner

    def checkpoints(self, name: str) -> Checkpoints:
        """Return the saved states of a training."""
        return Checkpoints(self.folder / _file("states", name), self.identity)


def _file(kind: str, name: str) -> str:
    """Return the name of the file of a part. Different parts have different files."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{kind}_{re.sub(r'[^A-Za-z0-9_.=-]+', '_', name)[:60]}-{digest}"


def leaves_of(tree: Any) -> list[tuple[str, Any]]:
    """Return (path, array) of each leaf of a tree."""
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)]


def _shapes(arrays: Mapping[str, Any]) -> dict[str, tuple]:
    return {path: (tuple(array.shape), np.dtype(array.dtype)) for path, array in arrays.items()}
