"""`sparse_linear`: f(x) = w . x where `nonzero` coordinates of w, chosen at random, are N(0, 1) and all others are 0.

x ~ N(0, I) [Garg22]. E f^2 is the number of nonzero coordinates. The Bayes-optimal answer, the mean over all sets of
coordinates, is known where these can be listed. Given the coordinates S that are not zero, w ~ N(0, I) has a Gaussian
posterior with covariance s^2 A^-1, where A = X_S^T X_S + s^2 I and s is the standard deviation of the noise, and the
answers have the density

    log p(y | S) = -1/2 (|y - X_S w|^2 / s^2 + |w|^2 + log det A) + the same for all S,   w = A^-1 X_S^T y.

Without noise s has a small value in its place: sets that do not explain the answers have no weight then. From one
example more than coordinates on, only one set explains them.

>>> import jax
>>> SparseLinear(input_dim=8, nonzero=2).draw(jax.random.key(0), 3).shape
(3, 8)
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

MOST_SETS = 256  # sets of coordinates that are listed
LEAST_VARIANCE = 1e-8  # of noise; a set whose misfit is .001 then weighs e^-50 of one without misfit
ROUNDING = 100  # machine epsilons: an eigenvalue of X_S^T X_S below this share of the largest one is an error of 0


def can_be_listed(inputs: int, nonzero: int) -> bool:
    """Return whether all sets of coordinates are few enough to be listed."""
    return math.comb(inputs, nonzero) <= MOST_SETS


@functools.cache
def listed(inputs: int, nonzero: int) -> np.ndarray:
    """Return all sets of so many of the coordinates, (P, nonzero)."""
    return np.array([*itertools.combinations(range(inputs), nonzero)])


def answer(prompt: Prompt, nonzero: int, noise: jax.Array | float) -> jax.Array:
    """Return the mean of the posterior of w . x at each query, (Q,).

    Args:
        noise: the standard deviation of the noise on the answers y.
    """
    x_NxX, y_N, seen_QxN = prompt.context.x, prompt.answers[:, 0], visible_or_all(prompt)
    sets_PxS = listed(x_NxX.shape[1], nonzero)
    x_PxNxS = x_NxX.T[sets_PxS].swapaxes(1, 2)
    variance = jnp.maximum(jnp.asarray(noise, float) ** 2, LEAST_VARIANCE)

    def one_set(x_NxS: jax.Array, seen_N: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return log p(y | S) and the mean of w (S,)."""
        seen_NxS = x_NxS * seen_N[:, None]
        eigenvalues_S, vectors_SxS = jnp.linalg.eigh(seen_NxS.T @ seen_NxS)
        is_seen_S = eigenvalues_S > ROUNDING * jnp.finfo(x_NxS.dtype).eps * eigenvalues_S[-1]
        scale_S = jnp.where(is_seen_S, eigenvalues_S, 0.0) + variance
        along_S = jnp.where(is_seen_S, (y_N * seen_N) @ seen_NxS @ vectors_SxS / scale_S, 0.0)
        w_S = vectors_SxS @ along_S
        misfit = jnp.sum((y_N * seen_N - seen_NxS @ w_S) ** 2)
        return -0.5 * (misfit / variance + w_S @ w_S + jnp.sum(jnp.log(scale_S))), w_S

    def one_query(seen_N: jax.Array, query_X: jax.Array) -> jax.Array:
        log_density_P, w_PxS = jax.vmap(one_set, in_axes=(0, None))(x_PxNxS, seen_N)
        return jax.nn.softmax(log_density_P) @ jnp.sum(w_PxS * query_X[sets_PxS], axis=1)

    return jax.lax.map(lambda each: one_query(*each), (seen_QxN.astype(y_N.dtype), prompt.query.x))


@pytree
class SparseLinear(settings.SparseLinear, RealFunctions):
    @property
    def second_moment(self) -> int:
        return self.nonzero

    def draw(self, key: jax.Array, count: int) -> jax.Array:
        """Return w (count, X)."""
        key_weights, key_order = jax.random.split(key)
        (w,) = normal(key_weights, (count, self.input_dim))
        order = jnp.argsort(jax.random.uniform(key_order, w.shape), axis=1)  # each coordinate's place in a shuffle
        return jnp.where(order < self.nonzero, w, 0.0)

    def apply(self, weights: jax.Array, x_NxX: jax.Array) -> jax.Array:
        return x_NxX @ weights

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal answer (Q, 1).

        Raises:
            NotImplementedError: there are too many sets of coordinates to list them.
        """
        if not can_be_listed(self.input_dim, self.nonzero):
            raise NotImplementedError
        return answer(prompt, self.nonzero, self.noise)[:, None]
