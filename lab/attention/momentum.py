"""Softmax attention with an exponential moving average of the values beside it [DAI].

    out_t = sum_i A_ti v_i + sum_{i<t} Gamma_ti v_i,    Gamma_ti = eta^(t-i)

where A is the softmax attention of the token t. The average obeys s_t = eta (s_{t-1} + v_{t-1}), has no parameter that
is trained, and its weights do not add up to one: those of all tokens before t add up to eta / (1 - eta) at most.
"""

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.softmax import Softmax


@struct.dataclass
class Momentum:
    """Gamma_ti = first * eta^(t-i-1) of the tokens i before t.

    first = eta is the moving average, first = 0 plain softmax attention, and eta = 0 adds the token before t alone.
    Both are numbers or, in a decoder's block, have the heads in front. name: as that of
    `lab.attention.softmax.Softmax`.
    """

    eta: jax.Array
    first: jax.Array
    name: str = struct.field(pytree_node=False, default="momentum")

    def __call__(self, q_TxA, k_SxA, v_SxC, mask_TxS=None, bias_TxS=None) -> jax.Array:
        """(T, C). Tokens stand in their order, and the last one that token t sees is t itself."""
        attended_TxC = Softmax()(q_TxA, k_SxA, v_SxC, mask_TxS, bias_TxS)
        if mask_TxS is None:
            mask_TxS = jnp.ones((len(q_TxA), len(k_SxA)), bool)
        return attended_TxC + self.weights(mask_TxS) @ v_SxC

    def weights(self, mask_TxS: jax.Array) -> jax.Array:
        """Gamma (T, S); t - i counts the tokens that t sees, from i to t."""
        from_here_TxS = jnp.cumsum(mask_TxS[:, ::-1], axis=1)[:, ::-1]
        behind_TxS = from_here_TxS - mask_TxS  # t - i
        before_TxS = mask_TxS & (behind_TxS > 0)
        powers_TxS = jnp.power(self.eta, jnp.maximum(behind_TxS - 1, 0).astype(jnp.result_type(self.eta)))
        return jnp.where(before_TxS, self.first * powers_TxS, 0.0)


@struct.dataclass
class LearnedMomentum:
    """The moving average with an eta that is trained: sigmoid(logit)."""

    logit: nnx.Param
    name: str = struct.field(pytree_node=False, default="learned momentum")

    @property
    def eta(self) -> jax.Array:
        return jax.nn.sigmoid(self.logit[...])

    def __call__(self, q_TxA, k_SxA, v_SxC, mask_TxS=None, bias_TxS=None) -> jax.Array:
        """(T, C)."""
        return moving_average(self.eta)(q_TxA, k_SxA, v_SxC, mask_TxS, bias_TxS)


def moving_average(eta: jax.Array) -> Momentum:
    """Momentum as its source has it."""
    return Momentum(eta, eta)


def previous_token(weight: jax.Array) -> Momentum:
    """A control without an average: `weight` times the value of the token before t alone."""
    return Momentum(jnp.zeros_like(weight), weight)
