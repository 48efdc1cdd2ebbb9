"""The relative error of one attention output whose kernel is estimated by random features.

Queries and keys have random directions and the same norm r; values are N(0, 1). Each seed has its own problems, and one
draw of frequencies for all of them. All norms, numbers of features and feature maps use the problems of the seed.

Shapes: A width of queries and keys, S keys, C width of values.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.softmax_dual import results
from experiments.duals.softmax_dual.results import FEATURES, FREQUENCIES, HIGH, LOW, MAP, NORM, SEED
from experiments.duals.softmax_dual.settings import SoftmaxDual
from lab.attention.kernel import KernelAttention, average
from lab.attention.softmax import Softmax
from lab.features import FEATURE_MAPS, SAMPLERS, draw
from lab.runs import console, interrupt
from tasks.flat_random import normal
from trainers.streams import Stream, key_of

QUANTILES = {LOW: 0.1, results.median.name: 0.5, HIGH: 0.9}


class Problem(NamedTuple):
    """One query, with keys and values. Query and keys have length 1."""

    query_1xA: jax.Array
    keys_SxA: jax.Array
    values_SxC: jax.Array


def problems(settings: SoftmaxDual) -> Problem:
    """Return the problems of all seeds: each array has axes (seeds, problems) in front."""
    seeds, shape = settings.seeds, settings.errors

    def of_seed(seed):
        sizes = ((1, shape.width), (shape.tokens, shape.width), (shape.tokens, shape.width))
        return normal(key_of(seed, Stream.problems), *((shape.problems, *size) for size in sizes))

    queries, keys, values = jax.vmap(of_seed)(settings.seed + jnp.arange(seeds))
    queries, keys = (x / jnp.linalg.norm(x, axis=-1, keepdims=True) for x in (queries, keys))
    return Problem(queries, keys, values)


def error(attention: KernelAttention, problem: Problem, norm: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the relative error of the output, and whether the estimated normaliser is zero or negative, () each.

    Args:
        norm: the norm of query and keys.
    """
    query_1xA, keys_SxA = norm * problem.query_1xA, norm * problem.keys_SxA
    exact_1xC = Softmax()(query_1xA, keys_SxA, problem.values_SxC)
    kernel_1xS = attention.kernel(query_1xA, keys_SxA)
    difference_1xC = average(kernel_1xS, problem.values_SxC) - exact_1xC
    return jnp.linalg.norm(difference_1xC) / jnp.linalg.norm(exact_1xC), jnp.sum(kernel_1xS) <= 0


@jax.jit
def errors(attention: KernelAttention, problem: Problem, norms: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the results of `error` for all norms, seeds and problems, (norms, seeds, problems) each.

    Seeds are computed one by one, as all together may exceed the memory.
    """

    def of_seed(seed: tuple[KernelAttention, Problem], norm: jax.Array) -> tuple[jax.Array, jax.Array]:
        seed_attention, seed_problem = seed
        return jax.vmap(error, in_axes=(None, 0, None))(seed_attention, seed_problem, norm)

    return jax.lax.map(lambda norm: jax.lax.map(lambda seed: of_seed(seed, norm), (attention, problem)), norms)


def attentions(settings: SoftmaxDual) -> Iterator[tuple[dict, KernelAttention]]:
    """Yield (columns that name it, attention with random features), the attention with an axis for seeds in front."""
    seeds = settings.seeds
    for number, (name, sampler) in enumerate(itertools.product(FEATURE_MAPS, SAMPLERS)):
        for count in settings.errors.features:
            key = jax.random.fold_in(jax.random.fold_in(key_of(settings.seed, Stream.frequencies), number), count)
            features = draw(name, sampler, key, count, settings.errors.width, seeds)
            place = {MAP: name, FREQUENCIES: sampler, FEATURES: count}
            yield place, KernelAttention(features)


def measure(settings: SoftmaxDual) -> list[dict]:
    """Return one row per feature map, kind of frequencies, number of features, norm and seed."""
    rows, problem, norms = [], problems(settings), jnp.asarray(settings.errors.norms)
    for place, attention in attentions(settings):
        interrupt.check()
        name, sampler, count = place.values()
        with console.busy(f"errors: {name}, {sampler} frequencies, {count} features"):
            relative, negative = map(np.asarray, errors(attention, problem, norms))
        for i, norm in enumerate(settings.errors.norms):
            for seed in range(settings.seeds):
                quantiles = np.quantile(relative[i, seed], [*QUANTILES.values()])
                rows.append(
                    place
                    | {NORM: norm, SEED: settings.seed + seed}
                    | dict(zip(QUANTILES, map(float, quantiles), strict=True))
                    | {"normaliser_not_positive": float(negative[i, seed].mean())}
                )
    return rows
