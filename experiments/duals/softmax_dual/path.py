"""An attention output as a model that learns its demonstrations one by one [LRGD, figure 8].

Softmax attention over instruction tokens T and demonstrations D is h = c sum_i v_i kappa(k_i, q), with the normaliser
c = 1/sum_i kappa(k_i, q). A model starts from the instructions and takes one step of gradient descent for each
demonstration, on the loss

    L_i(f) = -(c/beta) v_i . f(k_i)

In the fixed form f(x) = W phi(x), with the constant c of the query. In the ratio form the values are (v_i, 1), the
losses have no factor c, and the output is f_v(q) / f_1(q), so that one model answers all queries. The steps are those
of `dual_form.forms`, without features (in kernel form) or with them.

Shapes: A width of queries and keys, S keys, N demonstrations, C width of values, F features.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form.forms import explicit_form, kernel_form
from experiments.duals.dual_form.heads import Head, as_jax
from experiments.duals.softmax_dual import results
from experiments.duals.softmax_dual.errors import QUANTILES
from experiments.duals.softmax_dual.results import DEMONSTRATIONS, FORM, KERNEL, MODEL, PROBLEM, SEED
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab import dual
from lab.features import FEATURE_MAPS, FeatureMap, draw
from lab.runs import console, interrupt
from tasks.flat_random import normal
from trainers.streams import Stream, key_of

RATE = 0.3  # beta; the result of a step does not depend on it
SHOWN = 12  # the number of single paths in the table `single_paths`: of the kernel form, of the first seed


class Problem(NamedTuple):
    """One query, with keys and values.

    Scores are q . k / sqrt(A) of N(0, 1) vectors; query and keys hold the factor A^(-1/4) each.
    """

    query_A: jax.Array
    keys_SxA: jax.Array
    values_SxC: jax.Array


def problems(key: jax.Array, count: int, tokens: int, width: int, output_dim: int) -> Problem:
    """Return `count` problems, as the first axis of each array. The first keys and values are those of instructions."""
    sizes = ((width,), (tokens, width), (tokens, output_dim))
    query, keys, values = normal(key, *((count, *size) for size in sizes))
    return Problem(width**-0.25 * query, width**-0.25 * keys, values)


def head_of(problem: Problem, instructions: int, features: FeatureMap | None) -> Head:
    """Return the problem as a head of attention; in kernel form nothing reads its features."""
    query_A, keys_SxA, values_SxC = problem
    features_F, features_SxF = (x if features is None else features(x) for x in (query_A, keys_SxA))
    is_instruction_S = as_jax(1.0 * (np.arange(len(keys_SxA)) < instructions))
    tokens = (is_instruction_S, 1 - is_instruction_S, 0 * is_instruction_S)
    return Head(query_A[None], features_F[None], keys_SxA, features_SxF, values_SxC, *tokens)


def outputs(problem: Problem, instructions: int, features: FeatureMap | None) -> dict[str, jax.Array]:
    """Return {form: outputs after 0, 1, ... demonstrations, (1 + N, C)}; in kernel form without features."""
    head, form = head_of(problem, instructions, features), kernel_form if features is None else explicit_form
    one_by_one_NxS = np.eye(len(head.keys_SxA))[instructions:]
    steps_MxS = np.concatenate([0 * one_by_one_NxS[:1], one_by_one_NxS])  # the first is on nothing
    pairs = head._replace(values_SxC=dual.with_ones(head.values_SxC))
    return {
        "fixed": form(head, head.normalizer, steps_MxS, RATE)[:, 0],
        "ratio": dual.ratio(form(pairs, jnp.ones(1), steps_MxS, RATE)[:, 0]),
    }


def differences(problem: Problem, instructions: int, features: FeatureMap | None) -> dict[str, jax.Array]:
    """Return {form: outputs minus h, (1 + N, C)}."""
    attention_1xC = head_of(problem, instructions, None).attention
    return {form: path_NxC - attention_1xC for form, path_NxC in outputs(problem, instructions, features).items()}


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
    """Return {name: rows} of the tables of paths and their ends.

    To be called with 64-bit numbers enabled.
    """
    path, ends, single = [], [], []
    for (model, form, seed), differences_PxNxC in all_differences(settings).items():
        place = {MODEL: model, FORM: form, SEED: seed}
        squares_PxN = np.sum(differences_PxNxC**2, axis=-1)
        quantiles = np.quantile(squares_PxN, [*QUANTILES.values()], axis=0)
        for demonstrations, mean in enumerate(squares_PxN.mean(axis=0)):
            column = dict(zip(QUANTILES, map(float, quantiles[:, demonstrations]), strict=True))
            path.append(place | {DEMONSTRATIONS: demonstrations, "mean": float(mean)} | column)
        changes = np.diff(squares_PxN, axis=1)
        ends.append(
            place
            | {
                results.end.name: float(np.abs(differences_PxNxC[:, -1]).max()),
                results.falls.name: float(np.all(changes < 0, axis=1).mean()),
                results.rises.name: float((changes > 0).mean()),
            }
        )
        if model == KERNEL and seed == settings.seed:
            single += [
                place | {PROBLEM: i, DEMONSTRATIONS: n, results.SQUARED_ERROR: float(square)}
                for i, squares_N in enumerate(squares_PxN[:SHOWN])
                for n, square in enumerate(squares_N)
            ]
    return {results.PATH: path, results.ENDS: ends, results.SINGLE: single}
