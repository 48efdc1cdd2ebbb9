"""Stochastic gradient descent on the linear loss -y . W f, whose steps are Hebbian, beta y f^T, with a decay before
each step. Without a decay and from W_0 = 0 it is one step of batch gradient descent. Linear attention is this learner.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.rule import Tokens
from lab.learners.online.learner import OnlineLearner


class Hebbian(OnlineLearner):
    """Takes one Hebbian step per example."""

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        def loss(w_YxF: jax.Array, example: Tokens) -> jax.Array:
            return -jnp.vdot(example.values, w_YxF @ example.keys)

        def step(w_YxF: jax.Array, example: Tokens):
            return example.decays * w_YxF - example.rates * jax.grad(loss)(w_YxF, example), None

        return jax.lax.scan(step, w_0_YxF, examples)[0]
