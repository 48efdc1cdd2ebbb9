"""Softmax attention plus an exponential moving average of the values [DAI].

    out_t = sum_i A_ti v_i + sum_{i<t} Gamma_ti v_i,    Gamma_ti = eta^(t-i)

where A are the weights of softmax attention. The average s_t obeys s_t = eta (s_{t-1} + v_{t-1}). It has no trained
parameter, and its weights do not add up to one: those of all tokens before t add up to at most eta / (1 - eta).
"""

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.softmax import Softmax


@struct.dataclass
class Momentum:
    """Softmax attention plus values with the weights Gamma_ti = first * eta^(t-i-1) for the tokens i before t.

    first = eta is the moving average, first = 0 plain softmax attention, and with eta = 0 only the token before t is
    added. Both are (), or (H,) in a decoder's block. name: as in `lab.attention.softmax.Softmax`.
    """

    eta: jax.Array
    first: jax.Array
    name: str = struct.field(pytree_node=False, default="momentum")

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return out (T, C); tokens are in order, and the last one that token t sees is t itself."""
        attended_TxC = Softmax()(q_TxA, k_SxA, v_SxC, mask_TxS, bias_TxS)
        if mask_TxS is None:
            mask_TxS = jnp.ones((len(q_TxA), len(k_SxA)), bool)
        return attended_TxC + self.weights(mask_TxS) @ v_SxC

    def weights(self, mask_TxS: jax.Array) -> jax.Array:
        """Return Gamma (T, S), where t - i counts the tokens that t sees after i, itself included."""
        from_here_TxS = jnp.cumsum(mask_TxS[:, ::-1], axis=1)[:, ::-1]
        behind_TxS = from_here_TxS - mask_TxS  # t - i
        before_TxS = mask_TxS & (behind_TxS > 0)
        powers_TxS = jnp.power(self.eta, jnp.maximum(behind_TxS - 1, 0).astype(jnp.result_type(self.eta)))
        return jnp.where(before_TxS, self.first * powers_TxS, 0.0)


@struct.dataclass
class LearnedMomentum:
    """Softmax attention plus the moving average, with a trained eta = sigmoid(logit)."""

    logit: nnx.Param
    name: str = struct.field(pytree_node=False, default="learned momentum")

    @property
    def eta(self) -> jax.Array:
        """Return eta, between 0 and 1, with the shape of the logit."""
        return jax.nn.sigmoid(self.logit[...])

    def __call__(
        self,
        q_TxA: jax.Array,
        k_SxA: jax.Array,
        v_SxC: jax.Array,
        mask_TxS: jax.Array | None = None,
        bias_TxS: jax.Array | None = None,
    ) -> jax.Array:
        """Return out (T, C), as `Momentum` does."""
        return moving_average(self.eta)(q_TxA, k_SxA, v_SxC, mask_TxS, bias_TxS)


def moving_average(eta: jax.Array) -> Momentum:
    """Return the momentum attention of [DAI], with a moving average of rate eta."""
    return Momentum(eta, eta)


def previous_token(weight: jax.Array) -> Momentum:
    """Return a control without an average, which adds `weight` times the value of the token before t alone."""
    return Momentum(jnp.zeros_like(weight), weight)
