"""Stochastic gradient descent with Polyak's heavy ball, as a recursion of the last two W, and with a decay:

    W_t = alpha_t W_{t-1} - beta_t grad(W_{t-1}) + theta_t (W_{t-1} - alpha_{t-1} W_{t-2}).

The first step has no momentum. Titans' linear memory is this learner.
"""

import jax

from lab.attention.fast_weights.rule import Tokens
from lab.learners.online.learner import OnlineLearner, example_loss


class OnlineHeavyBall(OnlineLearner):
    """Takes one step per example, and some of the step before."""

    def fit(self, w_0_YxF: jax.Array, examples: Tokens) -> jax.Array:
        def step(carry: tuple[jax.Array, jax.Array], example: Tokens):
            w_YxF, earlier_YxF = carry  # W_{t-1}, and W_{t-2} after its decay
            decayed_YxF = example.decays * w_YxF
            step_YxF = example.momenta * (w_YxF - earlier_YxF) - example.rates * jax.grad(example_loss)(w_YxF, example)
            return (decayed_YxF + step_YxF, decayed_YxF), None

        return jax.lax.scan(step, (w_0_YxF, w_0_YxF), examples)[0][0]
