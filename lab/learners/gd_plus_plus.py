"""GD++ ([VO23] section 3) is gradient descent that also transforms the inputs.

It holds the features f, the residuals s of the targets, which start as y - W_0 f, and the prediction p, which starts as
W_0 f_q. Step k is

    Delta W = -eta_k grad L(0), L(W) = 1/(2N) sum_i ||W f_i - s_i||^2;   s <- s - Delta W f,   p <- p + Delta W f_q,
    f <- (I - gamma_k C) f for context and query alike,   C = 1/N sum_i f_i f_i^T.

With gamma = 0 it is gradient descent from W_0. One layer of linear self-attention can compute such a step.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.descent import Stepwise, context_loss
from tasks.episode import Prompt


class GDPlusPlus(Stepwise):
    """GD++ with one pair of rates for all steps: `unit` times parameters that start at 1 for eta and at 0 for gamma.

    clip: bound on f, s and p after each step, None for no bound (the same as `Shape.clip` of a Transformer where
    W_0 = 0). initial_model: W_0 (Y, F); None for zero.
    """

    def __init__(
        self,
        layout: TokenLayout,
        unit: float | jax.Array,
        steps: int,
        clip: float | None = None,
        initial_model: jax.Array | None = None,
    ):
        super().__init__(layout, unit, steps, initial_model)
        self.clip = clip
        eta, gamma = self.start()
        self.relative_eta = nnx.Param(eta)
        self.relative_gamma: nnx.Variable = nnx.Param(gamma)

    def start(self) -> tuple[jax.Array, jax.Array]:
        """Return the parameters of eta and of gamma before training: those of gradient descent of rate `unit`."""
        return jnp.ones(1), jnp.zeros(1)

    def rates(self) -> tuple[jax.Array, jax.Array]:
        """Return eta and gamma of every step, (steps,) each."""
        unit, size = self.unit[...], (self.steps,)
        eta = unit * jnp.broadcast_to(self.relative_eta[...], size)
        return eta, unit * jnp.broadcast_to(self.relative_gamma[...], size)

    def readouts(self, prompt: Prompt) -> jax.Array:
        f_NxF, f_QxF = self.layout.features(prompt.context), self.layout.features(prompt.query)
        w_0_YxF = self.initial_model[...]
        zero_YxF = jnp.zeros_like(w_0_YxF)

        def step(carry, rates):
            f_NxF, f_QxF, s_NxY, p_QxY = carry
            eta, gamma = rates
            change_YxF = -eta * jax.grad(context_loss)(zero_YxF, f_NxF, s_NxY)
            s_NxY = self._clipped(s_NxY - f_NxF @ change_YxF.T)
            p_QxY = self._clipped(p_QxY + f_QxF @ change_YxF.T)
            second_moment_FxF = f_NxF.T @ f_NxF / f_NxF.shape[0]
            f_NxF, f_QxF = (self._clipped(f - gamma * f @ second_moment_FxF) for f in (f_NxF, f_QxF))
            return (f_NxF, f_QxF, s_NxY, p_QxY), p_QxY

        start = (f_NxF, f_QxF, prompt.answers - f_NxF @ w_0_YxF.T, f_QxF @ w_0_YxF.T)
        return jax.lax.scan(step, start, self.rates())[1]

    def _clipped(self, values):
        return values if self.clip is None else jnp.clip(values, -self.clip, self.clip)


class GDPlusPlusByStep(GDPlusPlus):
    """GD++ of rates eta_k = unit exp(a_k) and gamma_k = unit sinh(b_k), with a_k and b_k trained from 0.

    GD++ with a pair of rates of its own for every step ([VO23] section 3, on layers with weights of their own).

    What a step does to the inputs shrinks them, so that the best rates grow from step to step by orders of magnitude.
    Their logarithms are of one size, and so they are what is trained.

    `relative_eta` holds a, `relative_gamma` holds b. gamma may have either sign, and near 0 it changes as b does.
    """

    def start(self) -> tuple[jax.Array, jax.Array]:
        """Return a and b before training, (steps,) each."""
        return jnp.zeros(self.steps), jnp.zeros(self.steps)

    def rates(self) -> tuple[jax.Array, jax.Array]:
        """Return eta and gamma of every step, (steps,) each."""
        unit = self.unit[...]
        return unit * jnp.exp(self.relative_eta[...]), unit * jnp.sinh(self.relative_gamma[...])
