"""Positive features of the softmax kernel [Choromanski et al. 2021, Rethinking attention with Performers].

exp(x . y) = E[e^{u.x - |x|^2/2} e^{u.y - |y|^2/2}] with u ~ N(0, I), so with M frequencies

    phi(x) = e^{-|x|^2/2} (e^{u_1.x}, .., e^{u_M.x}) / sqrt(M)
"""

from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Positive:
    """The map with positive features; M frequencies give F = M features."""

    PER_FREQUENCY: ClassVar[int] = 1

    frequencies_MxA: jax.Array
    name: str = struct.field(pytree_node=False, default="positive")  # see lab.features

    def __call__(self, x: jax.Array, shift: jax.Array | float = 0.0) -> jax.Array:
        """Return the features (.., F) of vectors (.., A), times exp(-shift)."""
        return jnp.exp(self._exponents(x) - shift) * len(self.frequencies_MxA) ** -0.5

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        """Return the largest exponent in the features of each vector, (..)."""
        return jnp.max(self._exponents(x), axis=-1)

    def _exponents(self, x: jax.Array) -> jax.Array:
        return x @ self.frequencies_MxA.T - jnp.sum(x**2, axis=-1, keepdims=True) / 2


def variance(x_A: jax.Array, y_A: jax.Array, num_features: int) -> jax.Array:
    """Return the variance of phi(x) . phi(y), e^{|x|^2 + |y|^2 + 4 x.y} (1 - e^{-|x + y|^2}) / F.

    It follows from E[e^{u.z}] = e^{|z|^2/2} and E[e^{2 u.z}] = e^{2|z|^2} for u ~ N(0, I).
    """
    exponent = jnp.sum(x_A**2) + jnp.sum(y_A**2) + 4 * jnp.sum(x_A * y_A)
    return -jnp.exp(exponent) * jnp.expm1(-jnp.sum((x_A + y_A) ** 2)) / num_features
