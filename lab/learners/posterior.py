"""The Bayes-optimal answer where labels follow a linear function: p(y = 1) = sigmoid(slope w . x), w ~ N(0, I).

    p(y = 1 | x, examples) = E[sigmoid(slope w . x)],   w from p(w | examples)

has no closed form. The posterior is sampled by elliptical slice sampling (Murray, Adams and MacKay 2010), which has no
step size: from w and a fresh n ~ N(0, I) it goes to a point of the ellipse w cos(a) + n sin(a) whose likelihood is at
least a random fraction of that of w. With a large slope the label is the sign of w . x.
"""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import ByQuery

SHRINKS = 25  # how often the ellipse's arc shrinks, each time by half on average, before a sample stays where it is


class Posterior(ByQuery):
    """Answers each query by the log-probabilities of both labels.

    slope: above about 1e3 its value makes no difference. samples: the number of samples of w, of which the first
    quarter are discarded. The mean over the others is clipped to lie half the weight of one sample away from 0 and 1.
    """

    def __init__(self, layout: TokenLayout, slope: float | jax.Array, samples: int, key: jax.Array):
        super().__init__(layout)
        self.slope, self.samples, self.key = nnx.Param(jnp.asarray(slope, float)), samples, nnx.Param(key)

    def answer(self, f_NxF: jax.Array, y_Nx2: jax.Array, visible_N: jax.Array, f_F: jax.Array) -> jax.Array:
        slope, sign_N = self.slope[...], y_Nx2[:, 1] - y_Nx2[:, 0]

        def likelihood(w_F: jax.Array) -> jax.Array:
            each_N = jax.nn.log_sigmoid(slope * sign_N * (f_NxF @ w_F))
            return jnp.sum(jnp.where(visible_N, each_N, 0.0))

        def step(w_F: jax.Array, key: jax.Array):
            w_F = slice_step(likelihood, w_F, key)
            return w_F, jax.nn.sigmoid(slope * (f_F @ w_F))

        keys = jax.random.split(self.key[...], self.samples)
        _, probability_S = jax.lax.scan(step, sign_N @ f_NxF, keys)  # from the mean of the examples' directions
        later_S = probability_S[self.samples // 4 :]
        half = 0.5 / len(later_S)
        probability = jnp.clip(jnp.mean(later_S), half, 1 - half)
        return jnp.log(jnp.stack([1 - probability, probability]))


def slice_step(likelihood: Callable[[jax.Array], jax.Array], w_F: jax.Array, key: jax.Array) -> jax.Array:
    """Return the next w of a chain whose distribution is N(0, I) times exp(likelihood(w)), up to a constant."""
    key_normal, key_level, key_angle = jax.random.split(key, 3)
    other_F = jax.random.normal(key_normal, w_F.shape)
    level = likelihood(w_F) + jnp.log(jax.random.uniform(key_level))
    uniform_S = jax.random.uniform(key_angle, (SHRINKS,))
    first = 2 * math.pi * uniform_S[0]

    def shrink(place: jax.Array, carry: tuple) -> tuple:
        angle, low, high, next_F, is_found = carry
        point_F = w_F * jnp.cos(angle) + other_F * jnp.sin(angle)
        is_good = ~is_found & (likelihood(point_F) > level)
        next_F = jnp.where(is_good, point_F, next_F)
        low, high = jnp.where(angle < 0, angle, low), jnp.where(angle < 0, high, angle)
        return low + (high - low) * uniform_S[place], low, high, next_F, is_found | is_good

    start = (first, first - 2 * math.pi, first, w_F, jnp.array(False))
    return jax.lax.fori_loop(1, SHRINKS, shrink, start)[3]
