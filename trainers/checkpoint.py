"""Saved states of a run's training, with orbax: a run that was killed goes on from the newest good one.

A checkpoint holds a tree of arrays, one vector for each type of number, and a record: what the arrays are called, the
rest of what the run needs to go on, and the digests of both. orbax moves a checkpoint into its place when it is whole.
"""

import hashlib
import json
import logging
import pathlib
import shutil

import jax
import numpy as np

from lab import console
from lab.errors import UserError

KEPT = 2


class Checkpoints:
    """Those of one run, by step. `identity` is the run's; a checkpoint of another is refused."""

    def __init__(self, path: pathlib.Path, identity: str):
        self.path, self.identity = path, identity

    @property
    def steps(self) -> set[int]:
        return set(self._manager().all_steps()) if self.path.is_dir() else set()

    def save(self, step: int, tree, record: dict) -> None:
        """
        Raises:
            UserError: it cannot be written.
        """
        import orbax.checkpoint as ocp

        vectors, names = _vectors(tree)
        text = json.dumps(record | {"identity": self.identity, "arrays": names})
        digests = {"record": _digest(text.encode())} | {kind: _digest(vector) for kind, vector in vectors.items()}
        args = ocp.args.Composite(
            arrays=ocp.args.StandardSave(vectors), record=ocp.args.JsonSave({"text": text, "digests": digests})
        )
        try:
            self._manager().save(step, args=args, force=True)
        except Exception as error:  # orbax and tensorstore have no common type
            why = str(error).splitlines()[0]
            raise UserError(
                f"cannot write a checkpoint into {self.path} ({why}); what was saved before is kept"
            ) from error

    def restore(self, step: int, like) -> tuple[object, dict] | None:
        """The tree, of the structure, shapes and types of `like`, and the record; None if it is damaged.

        Raises:
            UserError: it is whole, but of another run.
        """
        try:
            text, vectors = self._read(step)
        except Exception as error:
            why = (str(error).splitlines() or [type(error).__name__])[0]
            console.say(f"the checkpoint of step {step} in {self.path} is damaged ({why[:80]})")
            return None
        record = json.loads(text)
        names = _names(like)
        if record.pop("identity") != self.identity or record.pop("arrays") != names:
            raise UserError(
                f"{self.path}: a checkpoint of another run; remove it, or give run.force=true to begin anew"
            )
        return _tree(vectors, like), record

    def clear(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _read(self, step: int) -> tuple[str, dict[str, np.ndarray]]:
        import orbax.checkpoint as ocp

        manager = self._manager()
        saved = manager.restore(step, args=ocp.args.Composite(record=ocp.args.JsonRestore())).record
        text, digests = saved["text"], saved["digests"]
        if _digest(text.encode()) != digests.pop("record"):
            raise ValueError("its record has changed")
        sizes = _sizes(json.loads(text)["arrays"])
        like = {kind: np.zeros(size, kind) for kind, size in sizes.items()}
        vectors = manager.restore(step, args=ocp.args.Composite(arrays=ocp.args.StandardRestore(like))).arrays
        if {kind: _digest(vector) for kind, vector in vectors.items()} != digests:
            raise ValueError("its arrays have changed")
        return text, vectors

    def _manager(self):
        """Made for each use, so that nothing is open between them."""
        import orbax.checkpoint as ocp

        logging.getLogger("absl").setLevel(logging.ERROR)
        options = ocp.CheckpointManagerOptions(max_to_keep=KEPT, enable_async_checkpointing=False, create=True)
        return ocp.CheckpointManager(self.path.absolute(), options=options)


def _names(tree) -> list[list]:
    """[name, type, shape] of each leaf."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return [[jax.tree_util.keystr(path), str(np.dtype(leaf.dtype)), list(leaf.shape)] for path, leaf in leaves]


def _sizes(names: list[list]) -> dict[str, int]:
    sizes = {}
    for _, kind, shape in names:
        sizes[kind] = sizes.get(kind, 0) + int(np.prod(shape))
    return sizes


def _vectors(tree) -> tuple[dict[str, np.ndarray], list[list]]:
    """{type: all numbers of that type, leaf after leaf}, and what they are called."""
    names, leaves = _names(tree), [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    kinds = dict.fromkeys(kind for _, kind, _ in names)
    return {kind: np.concatenate([leaf.ravel() for leaf in leaves if str(leaf.dtype) == kind]) for kind in kinds}, names


def _tree(vectors: dict[str, np.ndarray], like):
    used = dict.fromkeys(vectors, 0)

    def cut(leaf):
        kind, start = str(np.dtype(leaf.dtype)), used[str(np.dtype(leaf.dtype))]
        used[kind] = start + int(np.prod(leaf.shape))
        return np.asarray(vectors[kind][start : used[kind]]).reshape(leaf.shape)

    return jax.tree.map(cut, like)


def _digest(data) -> str:
    return hashlib.sha256(data).hexdigest()
