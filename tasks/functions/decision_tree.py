"""`decision_tree`: f(x) is the value of the leaf of a full binary tree that x reaches [Garg22]. E f^2 = 1.

Every inner node has a uniformly drawn coordinate, and x goes right if that coordinate of x is above 0. The values of
the leaves are N(0, 1), x ~ N(0, I). Nodes are numbered level by level from the root: the children of node i are
2 i + 1 and 2 i + 2. The Bayes-optimal answer, the mean over all trees, is known where these can be listed.

A tree asks for signs of coordinates alone, so each of its leaves is a set of inputs in which some coordinates have a
given sign, and the values of leaves are independent. Given a tree, the examples of a leaf with n of them, of mean m and
with sum of squared deviations r, have the density

    p(examples) = (2 pi s^2)^(-(n - 1) / 2) n^(-1/2) exp(-r / (2 s^2)) N(m; 0, 1 + s^2 / n),

s being the standard deviation of the noise, and the mean of the leaf's value is m / (1 + s^2 / n). Both depend on the
leaf alone, and few leaves make many trees: 64 make the 16,384 trees of depth 3 on 4 inputs. Without noise s has a small
value in their place: trees in which a leaf has different answers have no weight then, and of the others those count in
which the fewest leaves have examples.

>>> import jax
>>> [leaf.shape for leaf in DecisionTree(depth=3).draw(jax.random.key(0), 2)]
[(2, 7), (2, 8)]
"""

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np

from tasks import settings
from tasks.episode import Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.functions.real import RealFunctions
from tasks.task import pytree

MOST_TREES = 2**15  # trees that are listed
LEAST_VARIANCE = 1e-10  # of noise; a tree with one leaf more that has examples then weighs 1e-5 of another one


def can_be_listed(inputs: int, depth: int) -> bool:
    """Return whether all trees are few enough to be listed."""
    return (2**depth - 1) * math.log(inputs) <= math.log(MOST_TREES)


@functools.cache
def listed(inputs: int, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all trees, by the way in which they divide the inputs.

    Returns:
        Leaves (U, C): whether each holds the inputs with each of the C = 2^inputs patterns of signs, of which number c
        has a positive coordinate i where bit i of c is set. Divisions (P, U): whether each has each leaf. The numbers
        of trees (P,) that make each division.
    """
    inner, count = 2**depth - 1, 2**inputs
    trees = np.array([*itertools.product(range(inputs), repeat=inner)])
    is_positive_CxX = np.arange(count)[:, None] >> np.arange(inputs) & 1
    node = np.zeros((len(trees), count), int)
    for _ in range(depth):
        coordinate = np.take_along_axis(trees, node, axis=1)
        node = 2 * node + 1 + is_positive_CxX[np.arange(count), coordinate]
    first_of_leaf = np.argmax(node[:, :, None] == node[:, None, :], axis=2)  # the same for the same division
    divisions, trees_of_each = np.unique(first_of_leaf, axis=0, return_counts=True)
    holds = divisions[:, None, :] == np.arange(count)[:, None]  # of each division, of each leaf by its first pattern
    leaves, which = np.unique(holds.reshape(-1, count), axis=0, return_inverse=True)
    has_leaf = np.zeros((len(divisions), len(leaves)), bool)
    has_leaf[np.repeat(np.arange(len(divisions)), count), which.reshape(-1)] = True
    is_empty = ~leaves.any(axis=1)
    return leaves[~is_empty], has_leaf[:, ~is_empty], trees_of_each


def answer(prompt: Prompt, depth: int, noise: jax.Array | float) -> jax.Array:
    """Return the mean of the posterior of f at each query, (Q,).

    Args:
        noise: the standard deviation of the noise on the answers y.
    """
    x_NxX, y_N, seen_QxN = prompt.context.x, prompt.answers[:, 0], visible_or_all(prompt)
    leaves, has_leaf, trees_of_each = listed(x_NxX.shape[1], depth)
    has_leaf_PxU, log_trees_P = jnp.asarray(has_leaf, float), jnp.log(jnp.asarray(trees_of_each, float))
    inside_NxU, asked_QxU = (jnp.asarray(leaves, float).T[pattern(x)] for x in (x_NxX, prompt.query.x))
    variance = jnp.maximum(jnp.asarray(noise, float) ** 2, LEAST_VARIANCE)

    def one_query(visible_N: jax.Array, asked_U: jax.Array) -> jax.Array:
        counted_NxU = inside_NxU * visible_N[:, None]
        n_U = jnp.sum(counted_NxU, axis=0)
        least_1_U = jnp.maximum(n_U, 1.0)
        mean_U = y_N @ counted_NxU / least_1_U
        r_U = jnp.sum(counted_NxU * (y_N[:, None] - mean_U[None]) ** 2, axis=0)
        spread_U = 1 + variance / least_1_U
        log_density_U = -0.5 * (
            (n_U - 1) * jnp.log(variance) + jnp.log(least_1_U * spread_U) + r_U / variance + mean_U**2 / spread_U
        )
        log_density_U += 0.5 * n_U * jnp.log(variance)  # the same factor for all trees: numbers stay small
        weight_P = jax.nn.softmax(has_leaf_PxU @ jnp.where(n_U > 0, log_density_U, 0.0) + log_trees_P)
        return jnp.sum(asked_U * (weight_P @ has_leaf_PxU) * mean_U / spread_U)

    return jax.lax.map(lambda each: one_query(*each), (seen_QxN.astype(y_N.dtype), asked_QxU))


def pattern(x: jax.Array) -> jax.Array:
    """Return the numbers (...) of the patterns of signs of inputs (..., X)."""
    return (x > 0).astype(int) @ 2 ** jnp.arange(x.shape[-1])


@pytree
class DecisionTree(settings.DecisionTree, RealFunctions):
    @property
    def second_moment(self) -> int:
        return 1

    def draw(self, key: jax.Array, count: int) -> tuple[jax.Array, jax.Array]:
        """Return the coordinates of inner nodes (count, 2^depth - 1) and the values of leaves (count, 2^depth)."""
        key_nodes, key_leaves = jax.random.split(key)
        leaves = 2**self.depth
        coordinates = jax.random.randint(key_nodes, (count, leaves - 1), 0, self.input_dim)
        return coordinates, normal(key_leaves, (count, leaves))[0]

    def apply(self, weights: tuple[jax.Array, jax.Array], x_NxX: jax.Array) -> jax.Array:
        coordinates, leaves = weights
        node_N = jnp.zeros(len(x_NxX), int)
        for _ in range(self.depth):
            coordinate_N = jnp.take_along_axis(x_NxX, coordinates[node_N][:, None], axis=1)[:, 0]
            node_N = 2 * node_N + 1 + (coordinate_N > 0)
        return leaves[node_N - len(coordinates)]

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1).

        Raises:
            NotImplementedError: there are too many trees to list them.
        """
        if not can_be_listed(self.input_dim, self.depth):
            raise NotImplementedError
        return answer(prompt, self.depth, self.noise)[:, None]
