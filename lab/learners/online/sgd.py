"""One pass of stochastic gradient descent on 1/2 |W f - y|^2 (Widrow and Hoff 1960), with a decay before each step:
W' = alpha W, then W' - beta grad(W'). The delta rule is this learner, gated or not.
"""

import jax

from lab.attention.fast_weights.rule import Tokens
from lab.learners.online.learner import OnlineLearner, example_loss


class OnePass(OnlineLearner):
    """Takes one step per example."""

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        def step(w_YxF: jax.Array, example: Tokens):
            w_YxF = example.decays * w_YxF
            return w_YxF - example.rates * jax.grad(example_loss)(w_YxF, example), None

        return jax.lax.scan(step, w_0_YxF, examples)[0]
