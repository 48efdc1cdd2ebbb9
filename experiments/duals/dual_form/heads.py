"""Heads of softmax attention with random queries, keys and values, for the comparison with `lab.dual`.

Shapes: S tokens attended to (instruction tokens, demonstrations, perturbation tokens), Q queries, A width of queries
and keys, C width of values, F features, H heads, G groups of heads.
"""

from typing import NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np

from experiments.duals.dual_form.settings import DualForm
from lab import dual
from lab.attention.softmax import Softmax
from lab.features.exact import gram_features

KEY_WIDTH = 4  # A: 4,845 Taylor features of degree 16
QUERIES = 4
GROUPS, HEADS = 2, 4


class Head(NamedTuple):
    """One head of one prompt, with features that are exact on its queries and keys.

    instructions_S, demonstrations_S, perturbations_S: 1 for the tokens of that kind, else 0. They are NumPy arrays, so
    that code which JAX traces can select tokens by them.
    """

    queries_QxA: jax.Array
    features_QxF: jax.Array
    keys_SxA: jax.Array
    features_SxF: jax.Array
    values_SxC: jax.Array
    instructions_S: jax.Array
    demonstrations_S: jax.Array
    perturbations_S: jax.Array

    def without(self, tokens_S: jax.Array) -> "Head":
        """Return the head without the tokens where `tokens_S` is 1."""
        queries_QxA, features_QxF, *others = self
        return Head(queries_QxA, features_QxF, *(each[tokens_S == 0] for each in others))

    @property
    def attention(self) -> jax.Array:
        """Return the output h (Q, C) of softmax attention."""
        return Softmax()(self.queries_QxA, self.keys_SxA, self.values_SxC)

    @property
    def normalizer(self) -> jax.Array:
        """Return the normalizer c = 1 / sum_i kappa(k_i, q) of each query, (Q,)."""
        return 1 / jnp.sum(dual.kernel(self.queries_QxA, self.keys_SxA), axis=-1)

    @property
    def largest_kernel(self) -> jax.Array:
        """Return the kernel value of the longest key or query with itself; errors of features are relative to it."""
        lengths = (jnp.linalg.norm(each, axis=-1) for each in (self.keys_SxA, self.queries_QxA))
        return jnp.exp(jnp.max(jnp.concatenate([*lengths])) ** 2)


class Heads(NamedTuple):
    """Heads with grouped queries: those of one group attend to the same keys and values."""

    queries_HxQxA: jax.Array
    features_HxQxF: jax.Array
    keys_GxSxA: jax.Array
    features_GxSxF: jax.Array
    values_GxSxC: jax.Array


def as_jax(array: np.ndarray) -> jax.Array:
    """Return a NumPy array as it is, under the type that functions of JAX declare: they take both."""
    return cast("jax.Array", array)


def random_arrays(settings: DualForm, stream: int, *sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Return arrays of independent N(0, 1) numbers, with the cases as their first axis.

    They are drawn by NumPy, which compiles nothing.

    Args:
        stream: a number of its own for each use.
        sizes: the shape of each array for one case.
    """
    generator = np.random.default_rng([settings.seed, stream])
    return [generator.standard_normal((settings.cases, *size)) for size in sizes]


def heads(settings: DualForm, factor: float = 1.0) -> Heads:
    """Return random heads, with the cases as the first axis of each array.

    Queries and keys have the norm `factor * settings.norm`.
    """
    tokens = settings.instructions + settings.examples + settings.perturbations
    sizes = [(HEADS, QUERIES, KEY_WIDTH), (GROUPS, tokens, KEY_WIDTH), (GROUPS, tokens, settings.input_dim)]
    *vectors, values = random_arrays(settings, 1, *sizes)
    norm = factor * settings.norm
    queries, keys = (norm * each / np.linalg.norm(each, axis=-1, keepdims=True) for each in vectors)
    group_queries = queries.reshape(settings.cases, GROUPS, -1, KEY_WIDTH)
    # With two eigendecompositions in one program the threads of a small machine can wait for one another for ever
    # (jaxlib 0.10.2, two cores). So features have a program of their own, which has ended before others begin.
    features = np.asarray(_features(np.concatenate([keys, group_queries], axis=2)))
    key_features, query_features = np.split(features, [tokens], axis=2)
    query_features = query_features.reshape(*queries.shape[:3], -1)
    return Heads(*map(as_jax, (queries, query_features, keys, key_features, values)))


_features = jax.jit(jax.vmap(jax.vmap(gram_features)))


def head_of(settings: DualForm, case: Heads, head: int = 0) -> Head:
    """Return one head of one case."""
    counts = (settings.instructions, settings.examples, settings.perturbations)
    group = head * GROUPS // HEADS
    kinds = map(as_jax, np.repeat(np.eye(3), counts, axis=1))
    return Head(
        case.queries_HxQxA[head],
        case.features_HxQxF[head],
        case.keys_GxSxA[group],
        case.features_GxSxF[group],
        case.values_GxSxC[group],
        *kinds,
    )


def prompt_of(settings: DualForm, case: Heads, head: int = 0) -> Head:
    """Return one head of one case, with instruction tokens and demonstrations alone."""
    whole = head_of(settings, case, head)
    return whole.without(whole.perturbations_S)
