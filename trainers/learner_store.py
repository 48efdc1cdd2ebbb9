"""The trained learners of finished runs, which other runs start from, and the list by which runs with the same training
find them.

A learner is a file `learner_NAME.npz` of arrays, named by their path in the learner. The file has no structure: its
reader gives the structure to expect.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np

from analysis.tables.columns import Diverged, Table
from lab.config.base import Base
from lab.config.identity import training_hash
from lab.config.kinds import KINDS, kind_of
from lab.config.training import HasSeeds, seeds_of
from lab.errors import NotFinite, UserError, short
from lab.learners.learner import Learner
from lab.runs.directory import RunDirectory
from lab.runs.hosts import on_first_process
from trainers.store import leaves_of

INDEX = ".trained"  # a folder of run.dir: one file per training, with the path of its run


def structures(settings: Base) -> dict[str, Learner] | None:
    """Return {name: structure} of the learners that a run of these settings keeps; None for a kind that keeps none."""
    own = getattr(KINDS[kind_of(settings)].load("run"), "learners", None)
    return None if own is None else own(settings)


def write(directory: RunDirectory, name: str, learner: Learner) -> None:
    """Write a learner's arrays."""
    directory.write_arrays(f"learner_{name}", {path: np.asarray(leaf) for path, leaf in leaves_of(learner)})


def member_of(directory: RunDirectory, settings: Base, seed: int) -> int:
    """Return the place of a seed among those whose learners a run keeps: a seed that diverged has none.

    Raises:
        UserError: the run keeps no learner of this seed.
    """
    rows = directory.read_table(Table.DIVERGED) if directory.has_table(Table.DIVERGED) else []
    lost = {row[Diverged.SEED] for row in rows}
    seeds = seeds_of(settings) if isinstance(settings, HasSeeds) else [settings.seed]
    left = [each for each in seeds if each not in lost]
    if seed not in left:
        why = "it diverged" if seed in lost else short(f"there are {', '.join(map(str, left))}")
        raise UserError(f"{directory.path}: no learner of seed {seed!r} is kept: {why}")
    return left.index(seed)


def read(directory: RunDirectory, name: str, like: Learner, member: int) -> Learner:
    """Read a learner, of the structure of `like`; `member` (`member_of`) chooses one of several seeds.

    Raises:
        UserError: the learner is missing, damaged, or has another structure.
        NotFinite: it has numbers that are NaN or infinite.
    """
    arrays, expected = _arrays(directory, name), dict(leaves_of(like))
    if arrays.keys() != expected.keys():
        only = sorted(arrays.keys() ^ expected.keys())[0]
        raise UserError(f"{directory.path}: the kept learner {name} has another structure than expected, see {only}")
    leaves = []
    for path, leaf in expected.items():
        array = arrays[path]
        if array.ndim == len(leaf.shape) + 1:
            if not 0 <= member < len(array):
                raise UserError(
                    f"{directory.path}: the kept learner {name} has {len(array)} seeds, and no number {member}"
                )
            array = array[member]
        if array.shape != tuple(leaf.shape) or array.dtype != leaf.dtype:
            raise UserError(
                f"{directory.path}: the kept learner {name} has another structure than expected: {path} is "
                f"{array.dtype}{list(array.shape)}, not {leaf.dtype}{list(leaf.shape)}"
            )
        if jnp.issubdtype(array.dtype, np.floating) and not np.isfinite(array).all():
            raise NotFinite(f"{directory.path}: the kept learner {name} has NaN or infinite numbers in {path}")
        leaves.append(jnp.asarray(array))  # NumPy's arrays would multiply by NumPy, not by JAX
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


@on_first_process
def _arrays(directory: RunDirectory, name: str) -> dict[str, np.ndarray]:
    """Return a learner's arrays, however large they are."""
    path = directory.path / f"learner_{name}.npz"
    if not path.exists():
        raise UserError(f"{directory.path}: no learner called {name} was kept there")
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            return dict(file)
    except Exception as error:  # the errors of NumPy and of archives have no common type
        why = f"damaged, or not written by this lab ({error})"
        raise UserError(f"{path}: {why}; run.force=true makes it anew") from error


@on_first_process
def announce(directory: RunDirectory, settings: Base) -> None:
    """List a run, so that runs with the same training find it."""
    folder = pathlib.Path(settings.run.dir) / INDEX
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{directory.path.name}"
    temporary.write_text("/".join(directory.path.parts[-2:]), encoding="utf-8")
    temporary.replace(folder / training_hash(settings))


@on_first_process
def earlier(settings: Base) -> pathlib.Path | None:
    """The directory of a finished run with the same training, if there is one."""
    entry = pathlib.Path(settings.run.dir) / INDEX / training_hash(settings)
    if not entry.is_file():
        return None
    parts = pathlib.PurePath(entry.read_text(encoding="utf-8", errors="replace").strip()).parts
    place = pathlib.Path(settings.run.dir, *parts)
    return place if len(parts) == 2 and ".." not in parts and (place / "DONE").exists() else None
