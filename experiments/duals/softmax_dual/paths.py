"""Tables of the squared error of an attention output against the number of demonstrations learned so far."""

import jax
import numpy as np

from experiments.duals.softmax_dual.columns import Model, Path, PathEnds, SinglePaths, Table
from experiments.duals.softmax_dual.errors import QUANTILES
from experiments.duals.softmax_dual.path import differences, problems
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.features import FEATURE_MAPS, draw
from lab.runs import console, interrupt
from trainers.streams import Stream, key_of

KERNEL = "kernel"  # the name of the model in kernel form, which needs no features
SHOWN = 12  # the number of single paths in the table `single_paths`: of the kernel form, of the first seed


def all_differences(settings: SoftmaxDual) -> dict[tuple[str, str, int], np.ndarray]:
    """Return {(model, form, seed): outputs minus that of softmax attention, (problems, 1 + N, C)}."""
    shape, result = settings.path, {}

    def model_differences(problem, features=None):
        return differences(problem, shape.instructions, features)

    measure = jax.jit(jax.vmap(model_differences))
    for seed in range(settings.seed, settings.seed + settings.seeds):
        interrupt.check()
        key_problems = key_of(seed, Stream.problems)
        keys = jax.random.split(key_of(seed, Stream.frequencies), len(FEATURE_MAPS))
        tokens = shape.instructions + shape.demonstrations
        problem = problems(key_problems, shape.problems, tokens, shape.width, shape.output_dim)
        arguments: dict[str, tuple] = {KERNEL: (problem,)}
        for name, key in zip(FEATURE_MAPS, keys, strict=True):
            arguments[name] = problem, draw(name, "iid", key, shape.features, shape.width, shape.problems)
        for model, each in arguments.items():
            with console.busy(f"paths: {model}, seed {seed}"):
                result |= {(model, form, seed): np.asarray(array) for form, array in measure(*each).items()}
    return result


def tables(settings: SoftmaxDual) -> dict[str, list[dict]]:
    """Return {name: rows} of the tables of `Path`, `PathEnds` and `SinglePaths`.

    To be called with 64-bit numbers enabled.
    """
    path, ends, single = [], [], []
    for (model, form, seed), differences_PxNxC in all_differences(settings).items():
        place = {Model.MODEL: model, Model.FORM: form, Model.SEED: seed}
        squares_PxN = np.sum(differences_PxNxC**2, axis=-1)
        quantiles = np.quantile(squares_PxN, [*QUANTILES.values()], axis=0)
        for demonstrations, mean in enumerate(squares_PxN.mean(axis=0)):
            column = dict(zip(QUANTILES, map(float, quantiles[:, demonstrations]), strict=True))
            path.append(place | {Path.DEMONSTRATIONS: demonstrations, Path.MEAN: float(mean)} | column)
        changes = np.diff(squares_PxN, axis=1)
        ends.append(
            place
            | {
                PathEnds.LARGEST_END: float(np.abs(differences_PxNxC[:, -1]).max()),
                PathEnds.FALLS_THROUGHOUT: float(np.all(changes < 0, axis=1).mean()),
                PathEnds.RISES: float((changes > 0).mean()),
            }
        )
        if model == KERNEL and seed == settings.seed:
            single += [
                place | {SinglePaths.PATH: i, SinglePaths.DEMONSTRATIONS: n, SinglePaths.SQUARED_ERROR: float(square)}
                for i, squares_N in enumerate(squares_PxN[:SHOWN])
                for n, square in enumerate(squares_N)
            ]
    return {Table.PATH: path, Table.PATH_ENDS: ends, Table.SINGLE_PATHS: single}
