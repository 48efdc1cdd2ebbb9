"""Random softmax attention: what the dual model of `lab.dual` is compared with.

Shapes: S tokens attended to (instruction tokens, demonstrations, perturbation tokens), Q queries, A width of queries
and keys, C width of values, F features, H heads, G groups of heads.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from experiments.dual_form.settings import DualForm
from lab import dual
from lab.attention.softmax import Softmax
from lab.features.gram import gram_features

KEY_WIDTH = 4  # A: 4,845 Taylor features of degree 16
QUERIES = 4
GROUPS, HEADS = 2, 4


class Head(NamedTuple):
    """One head of one prompt, features that are exact on its queries and keys, and what each token is: 1 where it is
    that, else 0."""

    queries_QxA: jax.Array
    features_QxF: jax.Array
    keys_SxA: jax.Array
    features_SxF: jax.Array
    values_SxC: jax.Array
    instructions_S: np.ndarray
    demonstrations_S: np.ndarray
    perturbations_S: np.ndarray

    def without(self, tokens_S: np.ndarray) -> "Head":
        """With the other tokens alone."""
        queries_QxA, features_QxF, *others = self
        return Head(queries_QxA, features_QxF, *(each[tokens_S == 0] for each in others))

    @property
    def attention(self) -> jax.Array:
        """h (Q, C)."""
        return Softmax()(self.queries_QxA, self.keys_SxA, self.values_SxC)

    @property
    def normalizer(self) -> jax.Array:
        """c of each query (Q,)."""
        return 1 / jnp.sum(dual.kernel(self.queries_QxA, self.keys_SxA), axis=-1)

    @property
    def largest_kernel(self) -> jax.Array:
        """To which the error of exact features is relative: that of the longest key or query with itself."""
        lengths = (jnp.linalg.norm(each, axis=-1) for each in (self.keys_SxA, self.queries_QxA))
        return jnp.exp(jnp.max(jnp.concatenate([*lengths])) ** 2)


class Heads(NamedTuple):
    """Grouped queries: heads of one group attend to the same keys and values."""

    queries_HxQxA: jax.Array
    features_HxQxF: jax.Array
    keys_GxSxA: jax.Array
    features_GxSxF: jax.Array
    values_GxSxC: jax.Array


def drawn(settings: DualForm, stream: int, *sizes: tuple[int, ...]) -> list[np.ndarray]:
    """Arrays of independent N(0, 1), cases as the first axis; NumPy's, which need not be compiled."""
    generator = np.random.default_rng([settings.seed, stream])
    return [generator.standard_normal((settings.cases, *size)) for size in sizes]


def heads(settings: DualForm, factor: float = 1.0) -> Heads:
    """Random heads, cases as the first axis of each array. Queries and keys have the norm `factor * settings.norm`."""
    tokens = settings.instructions + settings.examples + settings.perturbations
    sizes = [(HEADS, QUERIES, KEY_WIDTH), (GROUPS, tokens, KEY_WIDTH), (GROUPS, tokens, settings.input_dim)]
    *vectors, values = drawn(settings, 1, *sizes)
    norm = factor * settings.norm
    queries, keys = (norm * each / np.linalg.norm(each, axis=-1, keepdims=True) for each in vectors)
    of_group = queries.reshape(settings.cases, GROUPS, -1, KEY_WIDTH)
    # With two eigendecompositions in one program the threads of a small machine can wait for one another for ever
    # (jaxlib 0.10.2, two cores). So features have a program of their own, which has ended before others begin.
    features = np.asarray(_features(np.concatenate([keys, of_group], axis=2)))
    of_keys, of_queries = np.split(features, [tokens], axis=2)
    return Heads(queries, of_queries.reshape(*queries.shape[:3], -1), keys, of_keys, values)


_features = jax.jit(jax.vmap(jax.vmap(gram_features)))


def head_of(settings: DualForm, case: Heads, head: int = 0) -> Head:
    """One head of one case."""
    counts = (settings.instructions, settings.examples, settings.perturbations)
    group = head * GROUPS // HEADS
    of_head = (each[head] for each in case[:2])
    of_group = (each[group] for each in case[2:])
    return Head(*of_head, *of_group, *np.repeat(np.eye(3), counts, axis=1))


def prompt_of(settings: DualForm, case: Heads, head: int = 0) -> Head:
    """The same of instruction tokens and demonstrations alone."""
    whole = head_of(settings, case, head)
    return whole.without(whole.perturbations_S)
