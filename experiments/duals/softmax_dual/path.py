"""An attention output as a model that learns its demonstrations one by one [LRGD, figure 8].

Softmax attention over instruction tokens T and demonstrations D is h = c sum_i v_i kappa(k_i, q), with the normaliser
c = 1/sum_i kappa(k_i, q). A model starts from the instructions and takes one step of gradient descent, at the rate
beta, for each demonstration, on the loss

    L_i(f) = -(c/beta) v_i . f(k_i)

In the fixed form f(x) = W phi(x), with the constant c of the query. In the ratio form the values are (v_i, 1), the
losses have no factor c, and the output is f_v(q) / f_1(q), so that one model answers all queries.

With features, the gradient in W is computed by automatic differentiation. In kernel form a model is
f = sum_i a_i kappa(k_i, .), and the gradient of L_i in f is -(c/beta) v_i kappa(k_i, .), so that the step changes the
coefficient a_i alone.

Shapes: A width of queries and keys, S keys, N demonstrations, C width of values, F features.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.softmax_dual import results
from experiments.duals.softmax_dual.errors import QUANTILES
from experiments.duals.softmax_dual.results import (
    DEMONSTRATIONS,
    ENDS,
    FORM,
    KERNEL,
    MODEL,
    PATH,
    PROBLEM,
    SEED,
    SINGLE,
    SQUARED_ERROR,
)
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.attention.softmax import Softmax
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


def target(problem: Problem) -> jax.Array:
    """Return the output h (C,) of softmax attention."""
    return Softmax()(problem.query_A[None], problem.keys_SxA, problem.values_SxC)[0]


def kernel(problem: Problem) -> jax.Array:
    """Return kappa(k_i, q) of all keys, (S,)."""
    return jnp.exp(problem.keys_SxA @ problem.query_A)


def kernel_path(problem: Problem, instructions: int, learned_SxC: jax.Array) -> jax.Array:
    """Return the model's answer to the query after 0, 1, ... demonstrations, (1 + N, C), in kernel form.

    Args:
        instructions: how many of the keys are those of instructions.
        learned_SxC: the values that the model learns.
    """
    kernel_S = kernel(problem)
    is_instruction_Sx1 = jnp.arange(len(kernel_S))[:, None] < instructions
    initial_SxC = jnp.where(is_instruction_Sx1, learned_SxC, 0.0)

    def step(coefficients_SxC, i):
        gradient_C = -learned_SxC[i] / RATE
        coefficients_SxC = coefficients_SxC.at[i].add(-RATE * gradient_C)
        return coefficients_SxC, kernel_S @ coefficients_SxC

    _, outputs_NxC = jax.lax.scan(step, initial_SxC, jnp.arange(instructions, len(kernel_S)))
    return jnp.concatenate([(kernel_S @ initial_SxC)[None], outputs_NxC])


def feature_path(problem: Problem, instructions: int, learned_SxC: jax.Array, features: FeatureMap) -> jax.Array:
    """Return the model's answer to the query after 0, 1, ... demonstrations, (1 + N, C), by descent on a matrix W.

    The arguments are those of `kernel_path`, and the features phi.
    """
    query_F, keys_SxF = features(problem.query_A), features(problem.keys_SxA)
    initial_CxF = learned_SxC[:instructions].T @ keys_SxF[:instructions]

    def step(model_CxF, demonstration):
        key_F, value_C = demonstration
        model_CxF = model_CxF - RATE * jax.grad(lambda w_CxF: -value_C @ (w_CxF @ key_F) / RATE)(model_CxF)
        return model_CxF, model_CxF @ query_F

    demonstrations = (keys_SxF[instructions:], learned_SxC[instructions:])
    _, outputs_NxC = jax.lax.scan(step, initial_CxF, demonstrations)
    return jnp.concatenate([(initial_CxF @ query_F)[None], outputs_NxC])


def outputs(problem: Problem, instructions: int, features: FeatureMap | None) -> dict[str, jax.Array]:
    """Return {form: outputs after 0, 1, ... demonstrations, (1 + N, C)}; in kernel form without features."""

    def path(learned_SxC):
        if features is None:
            return kernel_path(problem, instructions, learned_SxC)
        return feature_path(problem, instructions, learned_SxC, features)

    values_SxC = problem.values_SxC
    pairs_NxC = path(jnp.concatenate([values_SxC, jnp.ones_like(values_SxC[:, :1])], axis=1))
    return {
        "fixed": path(values_SxC / jnp.sum(kernel(problem))),
        "ratio": pairs_NxC[:, :-1] / pairs_NxC[:, -1:],
    }


def differences(problem: Problem, instructions: int, features: FeatureMap | None) -> dict[str, jax.Array]:
    """Return {form: outputs minus h, (1 + N, C)}."""
    target_1xC = target(problem)[None]
    return {form: path_NxC - target_1xC for form, path_NxC in outputs(problem, instructions, features).items()}


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
                place | {PROBLEM: i, DEMONSTRATIONS: n, SQUARED_ERROR: float(square)}
                for i, squares_N in enumerate(squares_PxN[:SHOWN])
                for n, square in enumerate(squares_N)
            ]
    return {PATH: path, ENDS: ends, SINGLE: single}
