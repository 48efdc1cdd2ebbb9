"""Saved states of a run's training, with orbax: a run that was killed goes on from the newest undamaged one.

A checkpoint holds a tree of arrays, as one vector per dtype, and a record: the names, dtypes and shapes of the arrays,
and all else that the run needs to go on. orbax renames a checkpoint when it is complete. Then the SHA-256 sums of its
files are written beside it (in sha256sum's format). A checkpoint is damaged if its files have other sums.
"""

import logging
import pathlib

import jax
import numpy as np

from lab.errors import UserError
from lab.runs import console, own_files
from lab.runs.hosts import on_first_process, several
from tasks.datasets.files import sums

KEPT = 2  # the number of checkpoints that stay; older ones are removed


class Checkpoints:
    """The checkpoints of one run, by step.

    Args:
        path: the folder that holds them.
        identity: identifies the training; a checkpoint with another identity is refused.
    """

    def __init__(self, path: pathlib.Path, identity: str):
        self.path, self.identity = path, identity

    @property
    @on_first_process
    def steps(self) -> set[int]:
        """The steps whose checkpoints are complete."""
        return {int(sums.stem) for sums in self.path.glob("*.sha256") if sums.stem.isdigit()}

    @on_first_process
    def save(self, step: int, tree, record: dict) -> None:
        """Write the checkpoint of a step: a tree of arrays, and a record that JSON can hold.

        Raises:
            UserError: it cannot be written.
        """
        import orbax.checkpoint as ocp

        vectors, names = _vectors(tree)
        record = record | {"identity": self.identity, "arrays": names}
        args = ocp.args.Composite(arrays=ocp.args.StandardSave(vectors), record=ocp.args.JsonSave(record))
        try:
            place, aside = self._place(step), self.path / f".{step}"
            own_files.remove(place, own_files.STATE)  # left by a run that was killed while it saved
            # Orbax must make the folder itself, so the user's files move out of it meanwhile.
            own_files.move(place, aside, ".+")
            own_files.remove_empty(place)
            self._manager().save(step, args=args, force=True)
            own_files.move(aside, place, ".+")
            own_files.remove_empty(aside)
            own_files.write(self.path / f"{step}.sha256", self._sums(step))
            for older in sorted(self.steps)[:-KEPT]:
                self._remove(older)
        except Exception as error:  # orbax and tensorstore have no common type
            why = str(error).splitlines()[0]
            raise UserError(f"cannot write a checkpoint into {self.path} ({why}); those before it are kept") from error

    def restore(self, step: int, like) -> tuple[object, dict] | None:
        """Return the tree and the record of a step's checkpoint, or None if it is damaged.

        Args:
            like: a tree of the structure, shapes and dtypes that the saved one must have.

        Raises:
            UserError: the checkpoint is complete, but belongs to another run.
        """
        saved = self._read(step, _names(like))
        return saved and (_tree(saved[0], like), saved[1])

    @on_first_process
    def _read(self, step: int, names: list[list]) -> tuple[dict[str, np.ndarray], dict] | None:
        import orbax.checkpoint as ocp

        if not self.is_whole(step):
            console.say(f"the checkpoint of step {step} in {self.path} is damaged")
            return None
        manager = self._manager()
        record = manager.restore(step, args=ocp.args.Composite(record=ocp.args.JsonRestore()))["record"]
        if record.pop("identity") != self.identity or record.pop("arrays") != names:
            raise UserError(
                f"{self.path}: a checkpoint of another run; remove it, or give run.force=true to begin anew"
            )
        vectors = {kind: np.zeros(size, kind) for kind, size in _sizes(names).items()}
        saved = manager.restore(step, args=ocp.args.Composite(arrays=ocp.args.StandardRestore(vectors)))
        return {kind: np.asarray(vector) for kind, vector in saved["arrays"].items()}, record

    @on_first_process
    def is_whole(self, step: int) -> bool:
        """Return whether the files of a step's checkpoint are as they were written."""
        return self._sums(step).encode() == (self.path / f"{step}.sha256").read_bytes()

    @on_first_process
    def keep_newest(self) -> None:
        """Remove all checkpoints but the newest."""
        for step in sorted(self.steps)[:-1]:
            self._remove(step)

    @on_first_process
    def clear(self) -> None:
        """Remove all checkpoints, and nothing else that is in their folder."""
        own_files.remove(self.path, own_files.STATES)

    def _remove(self, step: int) -> None:
        (self.path / f"{step}.sha256").unlink()
        own_files.remove(self._place(step), own_files.STATE)

    def _sums(self, step: int) -> str:
        return sums(own_files.matching(self._place(step), own_files.STATE), self.path)

    def _place(self, step: int) -> pathlib.Path:
        return self.path / str(step)

    def _manager(self):
        """Return a new manager of orbax; each use makes its own, so that nothing stays open between uses."""
        import orbax.checkpoint as ocp

        logging.getLogger("absl").setLevel(logging.ERROR)
        self.path.mkdir(parents=True, exist_ok=True)
        # orbax waits for no other process, since the first process alone saves and restores
        alone = ocp.options.MultiprocessingOptions(primary_host=0, active_processes={0} if several() else None)
        options = ocp.CheckpointManagerOptions(
            max_to_keep=None, enable_async_checkpointing=False, create=False, multiprocessing_options=alone
        )
        return ocp.CheckpointManager(self.path.absolute(), options=options)


def _names(tree) -> list[list]:
    """Return [name, dtype, shape] of each leaf."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return [[jax.tree_util.keystr(path), str(np.dtype(leaf.dtype)), list(leaf.shape)] for path, leaf in leaves]


def _sizes(names: list[list]) -> dict[str, int]:
    """Return {dtype: size of all leaves of this dtype together}."""
    sizes = {}
    for _, kind, shape in names:
        sizes[kind] = sizes.get(kind, 0) + int(np.prod(shape))
    return sizes


def _vectors(tree) -> tuple[dict[str, np.ndarray], list[list]]:
    """Return {dtype: the numbers of all leaves of this dtype, leaf after leaf}, and the leaves' names."""
    names, leaves = _names(tree), [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]
    kinds = dict.fromkeys(kind for _, kind, _ in names)
    return {kind: np.concatenate([leaf.ravel() for leaf in leaves if str(leaf.dtype) == kind]) for kind in kinds}, names


def _tree(vectors: dict[str, np.ndarray], like):
    """Return the tree, of the structure of `like`, from its vectors: the inverse of `_vectors`."""
    used = dict.fromkeys(vectors, 0)  # {dtype: numbers that the leaves so far have taken}

    def cut(leaf):
        kind, start = str(np.dtype(leaf.dtype)), used[str(np.dtype(leaf.dtype))]
        used[kind] = start + int(np.prod(leaf.shape))
        return vectors[kind][start : used[kind]].reshape(leaf.shape)

    return jax.tree.map(cut, like)
