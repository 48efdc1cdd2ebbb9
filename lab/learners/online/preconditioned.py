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
        counts_Nx1 = 1.0 + jnp.arange(len(examples.keys))[:, None]
        means_NxF = jnp.cumsum(examples.keys**2, axis=0) / counts_Nx1

        def step(w_YxF: jax.Array, one: tuple[Tokens, jax.Array]):
            example, mean_F = one
            w_YxF = example.decays * w_YxF
            return w_YxF - example.rates * jax.grad(example_loss)(w_YxF, example) / (mean_F + SMALL)[None], None

        return jax.lax.scan(step, w_0_YxF, (examples, means_NxF))[0]
