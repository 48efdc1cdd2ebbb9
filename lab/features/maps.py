"""Random features of the softmax kernel: maps phi with E[phi(x) . phi(y)] = kappa(x, y) = exp(x . y).

A map is a struct whose only leaf is an array of M frequencies u ~ N(0, I). Called on vectors (.., A), it gives their F
features (.., F), times exp(-shift). `largest_exponent` is the largest exponent in a vector's features, (..), and
`variance` the exact variance of phi(x) . phi(y) for F features of independent frequencies.

    trigonometric   exp(x . y) = e^{|x|^2/2} E[cos u.(x - y)] e^{|y|^2/2}     [Rahimi and Recht 2007]
                    phi(x) = e^{|x|^2/2} (cos u_1.x, .., cos u_M.x, sin u_1.x, .., sin u_M.x) / sqrt(M)
    positive        exp(x . y) = E[e^{u.x - |x|^2/2} e^{u.y - |y|^2/2}]       [Choromanski et al. 2021]
                    phi(x) = e^{-|x|^2/2} (e^{u_1.x}, .., e^{u_M.x}) / sqrt(M)
    hyperbolic      exp(x . y) = e^{-|x|^2/2} E[cosh u.(x + y)] e^{-|y|^2/2}  [Choromanski et al. 2021]
                    the positive features of u and of -u, divided by sqrt(2)

JAX 0.10 compares the structures of dataclasses by their fields and not by their types, so `jit` may run the compiled
program of another map of the same shape. So each map has its name as a static field.
"""

from typing import ClassVar

import jax
import jax.numpy as jnp
from flax import struct


@struct.dataclass
class Trigonometric:
    """The map with trigonometric features, F = 2 M."""

    PER_FREQUENCY: ClassVar[int] = 2

    frequencies_MxA: jax.Array
    name: str = struct.field(pytree_node=False, default="trigonometric")

    def __call__(self, x: jax.Array, shift: jax.Array | float = 0.0) -> jax.Array:
        angles = x @ self.frequencies_MxA.T
        waves = jnp.concatenate([jnp.cos(angles), jnp.sin(angles)], axis=-1)
        return jnp.exp(self.largest_exponent(x)[..., None] - shift) * waves * len(self.frequencies_MxA) ** -0.5

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        return jnp.sum(x**2, axis=-1) / 2

    @staticmethod
    def variance(x_A: jax.Array, y_A: jax.Array, num_features: int) -> jax.Array:
        """Return e^{|x|^2 + |y|^2} (1 - e^{-|x - y|^2})^2 / F, by Var[cos u.z] = (1 + e^{-2|z|^2}) / 2 - e^{-|z|^2}."""
        sizes = jnp.sum(x_A**2) + jnp.sum(y_A**2)
        return jnp.exp(sizes) * jnp.expm1(-jnp.sum((x_A - y_A) ** 2)) ** 2 / num_features


@struct.dataclass
class Positive:
    """The map with positive features, F = M."""

    PER_FREQUENCY: ClassVar[int] = 1

    frequencies_MxA: jax.Array
    name: str = struct.field(pytree_node=False, default="positive")

    def __call__(self, x: jax.Array, shift: jax.Array | float = 0.0) -> jax.Array:
        return jnp.exp(self._exponents(x) - shift) * len(self.frequencies_MxA) ** -0.5

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        return jnp.max(self._exponents(x), axis=-1)

    def _exponents(self, x: jax.Array) -> jax.Array:
        return x @ self.frequencies_MxA.T - jnp.sum(x**2, axis=-1, keepdims=True) / 2

    @staticmethod
    def variance(x_A: jax.Array, y_A: jax.Array, num_features: int) -> jax.Array:
        """Return e^{|x|^2 + |y|^2 + 4 x.y} (1 - e^{-|x + y|^2}) / F, by E[e^{u.z}] = e^{|z|^2/2}."""
        exponent = jnp.sum(x_A**2) + jnp.sum(y_A**2) + 4 * jnp.sum(x_A * y_A)
        return -jnp.exp(exponent) * jnp.expm1(-jnp.sum((x_A + y_A) ** 2)) / num_features


@struct.dataclass
class Hyperbolic:
    """The map with hyperbolic features, F = 2 M."""

    PER_FREQUENCY: ClassVar[int] = 2

    frequencies_MxA: jax.Array
    name: str = struct.field(pytree_node=False, default="hyperbolic")

    def __call__(self, x: jax.Array, shift: jax.Array | float = 0.0) -> jax.Array:
        projections = x @ self.frequencies_MxA.T
        exponents = jnp.concatenate([projections, -projections], axis=-1)
        scale = (2 * len(self.frequencies_MxA)) ** -0.5
        return jnp.exp(exponents - jnp.sum(x**2, axis=-1, keepdims=True) / 2 - shift) * scale

    def largest_exponent(self, x: jax.Array) -> jax.Array:
        return jnp.max(jnp.abs(x @ self.frequencies_MxA.T), axis=-1) - jnp.sum(x**2, axis=-1) / 2

    @staticmethod
    def variance(x_A: jax.Array, y_A: jax.Array, num_features: int) -> jax.Array:
        """Return (1 - e^{-|x + y|^2}) times that of positive features, by Var[cosh u.z] = (e^{|z|^2} - 1)^2 / 2."""
        return -jnp.expm1(-jnp.sum((x_A + y_A) ** 2)) * Positive.variance(x_A, y_A, num_features)


FeatureMap = Trigonometric | Positive | Hyperbolic

FEATURE_MAPS: dict[str, type[FeatureMap]] = {
    "trigonometric": Trigonometric,
    "positive": Positive,
    "hyperbolic": Hyperbolic,
}
