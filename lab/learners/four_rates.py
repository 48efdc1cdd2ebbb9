"""GD++ that also reads the targets: linear self-attention with four numbers per layer (Vladymyrov et al. 2024,
arXiv 2402.14180, who call it diagonal attention).

It holds what GD++ holds (`gd_plus_plus`): the features f, the residuals s of the targets, and the prediction p. With
C = 1/N sum_i f_i f_i^T, G = 1/N sum_i s_i f_i^T and V = 1/N sum_i s_i s_i^T, step k is

    s <- s - eta_k G f - zeta_k V s,    p <- p + eta_k G f_q - zeta_k V p,
    f <- f - gamma_k C f - delta_k G^T s,    f_q <- f_q - gamma_k C f_q + delta_k G^T p.

zeta makes the rate depend on how large the residuals are, delta brings them into the inputs. With zeta = delta = 0 it
is GD++ with a pair of rates for every step.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.merged import TokenLayout
from lab.learners.gd_plus_plus import GDPlusPlusByStep
from tasks.episode import Prompt


class FourRates(GDPlusPlusByStep):
    """GD++ with two further trained rates per step, zeta and delta, which start at 0. The unit of all is `unit`."""

    def __init__(
        self, layout: TokenLayout, unit: float | jax.Array, steps: int, initial_model: jax.Array | None = None
    ):
        super().__init__(layout, unit, steps, initial_model=initial_model)
        self.relative_zeta = nnx.Param(jnp.zeros(steps))
        self.relative_delta = nnx.Param(jnp.zeros(steps))

    def readouts(self, prompt: Prompt) -> jax.Array:
        f_NxF, f_QxF = self.layout.features(prompt.context), self.layout.features(prompt.query)
        w_0_YxF, examples = self.initial_model[...], f_NxF.shape[0]
        # the last tokens are the queries, whose residual is minus the prediction
        f_TxF = jnp.concatenate([f_NxF, f_QxF])
        s_TxY = jnp.concatenate([prompt.answers, jnp.zeros((f_QxF.shape[0], w_0_YxF.shape[0]))]) - f_TxF @ w_0_YxF.T

        def step(carry, rates):
            f_TxF, s_TxY = carry
            eta, gamma, zeta, delta = rates
            f_NxF, s_NxY = f_TxF[:examples], s_TxY[:examples]
            c_FxF, g_YxF, v_YxY = (a.T @ b / examples for a, b in ((f_NxF, f_NxF), (s_NxY, f_NxF), (s_NxY, s_NxY)))
            carry = (
                f_TxF - gamma * f_TxF @ c_FxF - delta * s_TxY @ g_YxF,
                s_TxY - eta * f_TxF @ g_YxF.T - zeta * s_TxY @ v_YxY,
            )
            return carry, -carry[1][examples:]

        unit = self.unit[...]
        rates = (*self.rates(), unit * self.relative_zeta[...], unit * self.relative_delta[...])
        return jax.lax.scan(step, (f_TxF, s_TxY), rates)[1]
