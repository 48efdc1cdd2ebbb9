"""Trigonometric features of the softmax kernel [Rahimi and Recht 2007, Random features for kernel machines].

exp(x . y) = e^{|x|^2/2} E[cos u.(x - y)] e^{|y|^2/2} with u ~ N(0, I), so with M frequencies

    phi(x) = e^{|x|^2/2} (cos u_1.x, .., cos u_M.x, sin u_1.x, .., sin u_M.x) / sqrt(M)
"""

from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Trigonometric:
    """The map with trigonometric features; M frequencies give F = 2 M features."""

    PER_FREQUENCY: ClassVar[int] = 2

    frequencies_MxA: jax.Array
    name: str = struct.field(pytree_node=False, default="trigonometric")  # see lab.features

    def __call__(self, x: jax.Array, shift: jax.Array | float = 0.0) -> jax.Array:
        """Return the features (.., F) of vectors (.., A), times exp(-shift)."""
        angles = x @ self.frequencies_MxA.T
        waves = jnp.concatenate([jnp.cos(angles), jnp.sin(angles)], axis=-1)
        return jnp.exp(self.largest_exponent(x)[..., None] - shift) * waves * len(self.frequencies_MxA) ** -0.5

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        """Return the largest exponent in the features of each vector, (..)."""
        return jnp.sum(x**2, axis=-1) / 2


def variance(x_A: jax.Array, y_A: jax.Array, num_features: int) -> jax.Array:
    """Return the variance of phi(x) . phi(y), e^{|x|^2 + |y|^2} (1 - e^{-|x - y|^2})^2 / F.

    It follows from Var[cos u.z] = (1 + e^{-2|z|^2}) / 2 - e^{-|z|^2} for u ~ N(0, I).
    """
    sizes = jnp.sum(x_A**2) + jnp.sum(y_A**2)
    return jnp.exp(sizes) * jnp.expm1(-jnp.sum((x_A - y_A) ** 2)) ** 2 / num_features
