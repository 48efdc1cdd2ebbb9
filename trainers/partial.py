"""The finished parts of a run that is not finished: what a run that was killed goes on from.

They lie in `partial/` of the run's directory until the run is done: the rows of a part as `NAME.json`, a block of
episodes and a trained learner as `NAME.npz`. Parts that other settings have made are not used.
"""

import contextlib
import hashlib
import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax.traverse_util import flatten_dict, unflatten_dict

from lab.runs import own_files
from lab.runs.hosts import on_first_process

IDENTITY = "identity.json"
Row = dict
Tree = dict  # of dictionaries with arrays at the leaves
R = TypeVar("R", list[Row], dict[str, list[Row]])
L = TypeVar("L")  # a learner


class Partial:
    """The finished parts of one run.

    Args:
        folder: where they are kept.
        identity: of what makes them; parts of another identity are removed.
    """

    def __init__(self, folder: pathlib.Path, identity: str):
        self.folder, self.identity = folder, identity
        self._drop_others()

    def rows(self, name: str) -> list[Row] | None:
        """Return the rows that `keep_rows` kept by this name; None if there are none."""
        text = self._read(f"{_file(name)}.json")
        return None if text is None else json.loads(text)

    def tables(self, name: str) -> dict[str, list[Row]] | None:
        """Return the tables of rows that `keep_rows` kept by this name; None if there are none."""
        text = self._read(f"{_file(name)}.json")
        return None if text is None else json.loads(text)

    def keep_rows(self, name: str, rows: R) -> R:
        """Keep rows, or tables of rows, and return them as they will be read."""
        text = json.dumps(rows, default=_plain)
        self._write(f"{_file(name)}.json", text)
        return json.loads(text)

    def tree(self, name: str) -> Tree | None:
        """Return the arrays that `keep_tree` kept by this name; None if there are none."""
        arrays = self._arrays(f"{_file(name)}.npz")
        return None if arrays is None else unflatten_dict(arrays, sep="/")

    @on_first_process
    def keep_tree(self, name: str, tree: Tree) -> None:
        """Keep a tree of arrays on the host."""
        with self._whole(f"{_file(name)}.npz") as path:
            # Any: to a type checker each might be `allow_pickle`, a bool
            keywords: dict[str, Any] = dict(flatten_dict(tree, sep="/"))
            np.savez(path, **keywords)

    def learner(self, name: str, like: L) -> L | None:
        """Return the learner that was kept by this name, of the structure of `like`; None if there is none."""
        arrays = self._arrays(f"{_file(name)}.npz")
        if arrays is None:
            return None
        leaves = [jnp.asarray(arrays[str(place)]) for place in range(len(arrays))]
        return jax.tree.unflatten(jax.tree.structure(like), leaves)

    def keep_learner(self, name: str, learner: L) -> L:
        """Keep a trained learner, or several with axes in front, and return it as it will be read."""
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
        """Make the folder, and say in it what its parts are made by."""
        if not (self.folder / IDENTITY).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            own_files.write(self.folder / IDENTITY, json.dumps(self.identity))

    @on_first_process
    def _drop_others(self) -> None:
        file = self.folder / IDENTITY
        if not file.is_file() or json.loads(file.read_text(encoding="utf-8")) != self.identity:
            own_files.remove(self.folder, own_files.PARTS)

    @on_first_process
    def _read(self, file: str) -> str | None:
        return (self.folder / file).read_text(encoding="utf-8") if (self.folder / file).is_file() else None

    @on_first_process
    def _arrays(self, file: str) -> dict[str, np.ndarray] | None:
        if not (self.folder / file).is_file():
            return None
        with np.load(self.folder / file, allow_pickle=False) as arrays:
            return dict(arrays)

    @on_first_process
    def _write(self, file: str, text: str) -> None:
        with self._whole(file) as path:
            path.write_text(text, encoding="utf-8")

    @contextlib.contextmanager
    def _whole(self, file: str) -> Iterator[pathlib.Path]:
        """Yield where to write; it is there under its name when it is whole."""
        self._begin()
        with own_files.whole(self.folder / file) as path:
            yield path


def _file(name: str) -> str:
    """Return the name of a part as that of a file, still one for each."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_.=-]+', '_', name)[:60]}-{digest}"


def _plain(value):
    """Return a NumPy scalar as the number that it is."""
    return value.item()
