"""Gates of fast-weight layers and online learners: the rate, the decay and the momentum of every token, for every head.

A gate is a constant, a number of each place, or the sigmoid of a linear map of the token, as in the papers. A constant
is trained as it is, as its logarithm or as its logit.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Fixed


class Gate(nnx.Module):
    """A trained constant of each head. value: (H,)."""

    def __init__(self, value: jax.Array):
        self.value = nnx.Param(jnp.atleast_1d(jnp.asarray(value)))

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        """Return the gate of every token, (H, T)."""
        return jnp.broadcast_to(self.value[...][:, None], (len(self.value[...]), len(e_TxD)))


class FixedGate(Gate):
    """A constant of each head that no training changes. value: (H,)."""

    def __init__(self, value: jax.Array):
        self.value = Fixed(jnp.atleast_1d(jnp.asarray(value)))


class PositiveGate(Gate):
    """e to the power of a trained constant. value: the logarithm, (H,)."""

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        return jnp.exp(super().__call__(e_TxD))


class ShareGate(Gate):
    """The sigmoid of a trained constant. value: the logit, (H,)."""

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        return jax.nn.sigmoid(super().__call__(e_TxD))


class PlaceGate(Gate):
    """e to the power of a trained number of each place in the context, the same for all tokens there. value: (H, T)."""

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        """Return the gate of every token, (H, T).

        Raises:
            ValueError: there are more or fewer tokens than places.
        """
        log_HxT = self.value[...]
        if log_HxT.shape[1] != len(e_TxD):
            raise ValueError(f"{len(e_TxD)} tokens: there are gates of {log_HxT.shape[1]} places")
        return jnp.exp(log_HxT)


class TokenGate(Gate):
    """`most` times the sigmoid of w . e + b. w: (H, D), zero at the start of a training. value: b, (H,)."""

    def __init__(self, value: jax.Array, w_HxD: jax.Array, most: float | jax.Array = 1.0):
        super().__init__(value)
        self.w, self.most = nnx.Param(w_HxD), nnx.Variable(jnp.asarray(most))

    def __call__(self, e_TxD: jax.Array) -> jax.Array:
        return self.most[...] * jax.nn.sigmoid(super().__call__(e_TxD) + self.w[...] @ e_TxD.T)


class Gates(nnx.Module):
    """The three gates. One that is not given is fixed where it changes nothing: a decay at 1, a momentum at 0."""

    def __init__(self, rate: Gate, decay: Gate | None = None, momentum: Gate | None = None):
        heads = rate.value[...].shape[:1]
        self.rate = rate
        self.decay = decay or FixedGate(jnp.ones(heads))
        self.momentum = momentum or FixedGate(jnp.zeros(heads))

    def __call__(self, e_TxD: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return rates, decays and momenta, (H, T) each."""
        return self.rate(e_TxD), self.decay(e_TxD), self.momentum(e_TxD)


def of_heads(gates: Gates, heads: int) -> Gates:
    """Return the gates of one head, in every one of several heads."""

    def repeat(leaf: jax.Array) -> jax.Array:
        return leaf if leaf.ndim == 0 else jnp.repeat(leaf, heads, axis=0)

    return jax.tree.map(repeat, gates)
