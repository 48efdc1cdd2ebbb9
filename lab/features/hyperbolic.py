"""Hyperbolic features of the softmax kernel are the positive ones of u and of -u [Choromanski et al. 2021].

exp(x . y) = e^{-|x|^2/2} E[cosh u.(x + y)] e^{-|y|^2/2} with u ~ N(0, I), so with M frequencies

    phi(x) = e^{-|x|^2/2} (e^{u_1.x}, .., e^{u_M.x}, e^{-u_1.x}, .., e^{-u_M.x}) / sqrt(2 M)
"""

from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct

from lab.features import positive


@struct.dataclass
class Hyperbolic:
    """The map with hyperbolic features; M frequencies give F = 2 M features."""

    PER_FREQUENCY: ClassVar[int] = 2

    frequencies_MxA: jax.Array
    name: str = struct.field(pytree_node=False, default="hyperbolic")  # see lab.features

    def __call__(self, x: jax.Array, shift: jax.Array | float = 0.0) -> jax.Array:
        """Return the features (.., F) of vectors (.., A), times exp(-shift)."""
        projections = x @ self.frequencies_MxA.T
        exponents = jnp.concatenate([projections, -projections], axis=-1)
        scale = (2 * len(self.frequencies_MxA)) ** -0.5
        return jnp.exp(exponents - jnp.sum(x**2, axis=-1, keepdims=True) / 2 - shift) * scale

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        """Return the largest exponent in the features of each vector, (..)."""
        return jnp.max(jnp.abs(x @ self.frequencies_MxA.T), axis=-1) - jnp.sum(x**2, axis=-1) / 2


def variance(x_A: jax.Array, y_A: jax.Array, num_features: int) -> jax.Array:
    """Return the variance of phi(x) . phi(y): that of as many positive features, times 1 - e^{-|x + y|^2}.

    It follows from Var[cosh u.z] = (e^{|z|^2} - 1)^2 / 2 for u ~ N(0, I).
    """
    return -jnp.expm1(-jnp.sum((x_A + y_A) ** 2)) * positive.variance(x_A, y_A, num_features)
