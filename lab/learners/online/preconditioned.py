"""One pass of stochastic gradient descent with a diagonal preconditioner: the gradient's column j is divided by the
mean of f_j^2 over the examples so far. The preconditioned delta rule is this learner.
"""

import jax
import jax.numpy as jnp

from lab.attention.fast_weights.preconditioned import SMALL
from lab.attention.fast_weights.rule import Tokens
from lab.learners.online.learner import OnlineLearner, example_loss


class PreconditionedPass(OnlineLearner):
    """Takes one preconditioned step per example."""

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        w_YxF = w_0_YxF
        for count in range(1, len(examples.keys) + 1):
            example = jax.tree.map(lambda leaf, last=count - 1: leaf[last], examples)
            mean_F = jnp.mean(examples.keys[:count] ** 2, axis=0)
            w_YxF = example.decays * w_YxF
            w_YxF = w_YxF - example.rates * jax.grad(example_loss)(w_YxF, example) / (mean_F + SMALL)[None]
        return w_YxF
