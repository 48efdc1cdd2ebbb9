"""Gates of fast-weight layers and online learners: the rate, the decay and the momentum of every token, for every head.

A gate is a constant, or the sigmoid of a linear map of the token, as in the papers.
"""

import jax
import jax.numpy as jnp
from flax import nnx


class Gate(nnx.Module):
    """A trained constant of each head. value: (H,)."""

    def __init__(self, value: jax.Array):
        self.value = nnx.Param(jnp.atleast_1d(jnp.asarray(value)))

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        """Return the gate of every token, (H, T)."""
        return jnp.broadcast_to(self.value[...][:, None], (len(self.value[...]), len(e_TxD)))


class TokenGate(Gate):
    """`most` times the sigmoid of w . e + b. w: (H, D), zero at the start of a training. value: b, (H,)."""

    def __init__(self, value: jax.Array, w_HxD: jax.Array, most: float | jax.Array = 1.0):
        super().__init__(value)
        self.w, self.most = nnx.Param(w_HxD), nnx.Variable(jnp.asarray(most))

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        return self.most[...] * jax.nn.sigmoid(super().__call__(e_TxD) + self.w[...] @ e_TxD.T)


class Gates(nnx.Module):
    """The three gates; those that a rule does not name change nothing."""

    def __init__(self, rate: Gate, decay: Gate | None = None, momentum: Gate | None = None):
        heads = rate.value[...].shape
        self.rate = rate
        self.decay = decay or Gate(jnp.ones(heads))
        self.momentum = momentum or Gate(jnp.zeros(heads))

    def __call__(self, e_TxD: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return rates, decays and momenta, (H, T) each."""
        return self.rate(e_TxD), self.decay(e_TxD), self.momentum(e_TxD)


def of_heads(gates: Gates, heads: int) -> Gates:
    """Return the gates of one head, in every one of several heads."""

    def repeat(leaf: jax.Array) -> jax.Array:
        return leaf if leaf.ndim == 0 else jnp.repeat(leaf, heads, axis=0)

    return jax.tree.map(repeat, gates)
