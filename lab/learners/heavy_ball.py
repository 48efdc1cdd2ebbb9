"""Gradient descent with heavy-ball momentum on the context (Polyak 1964), which momentum attention is compared with.

W_{k+1} = W_k - eta grad L(W_k) + beta (W_k - W_{k-1}) with L(W) = 1/(2N) sum_i ||W f_i - y_i||^2 and W_{-1} = W_0, and
after K steps the prediction is W_K f_q. With beta = 0, and with one step, it is gradient descent. Two steps of it are
two steps of gradient descent with the rates a and b, a + b = (2 + beta) eta and a b = eta^2, real where beta >= 0.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.descent import Stepwise, context_loss
from tasks.episode import Prompt


class HeavyBall(Stepwise):
    """Heavy-ball descent with trained eta and beta: eta is `unit` times a parameter that starts at 1, beta starts at 0.

    initial_model: W_0 (Y, F); None for zero.
    """

    def __init__(
        self, layout: TokenLayout, unit: float | jax.Array, steps: int, initial_model: jax.Array | None = None
    ):
        super().__init__(layout, unit, steps, initial_model)
        self.relative_eta = nnx.Param(jnp.ones(()))
        self.beta = nnx.Param(jnp.zeros(()))

    @property
    def eta(self) -> jax.Array:
        """Return the rate of each step, ()."""
        return self.unit[...] * self.relative_eta[...]

    def readouts(self, prompt: Prompt) -> jax.Array:
        f_NxF, f_QxF = self.layout.features(prompt.context), self.layout.features(prompt.query)
        w_0_YxF, eta, beta = self.initial_model[...], self.eta, self.beta[...]

        def step(carry, _):
            w_YxF, change_YxF = carry
            change_YxF = beta * change_YxF - eta * jax.grad(context_loss)(w_YxF, f_NxF, prompt.answers)
            w_YxF = w_YxF + change_YxF
            return (w_YxF, change_YxF), f_QxF @ w_YxF.T

        return jax.lax.scan(step, (w_0_YxF, jnp.zeros_like(w_0_YxF)), length=self.steps)[1]
