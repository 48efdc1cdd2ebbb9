"""Random arrays, drawn flat.

Threefry numbers its outputs by their position. XLA's CPU code computes that position quickly in one dimension and about
three times more slowly in three, and drawing is half of a one-layer training step, so every draw is flat and reshaped.
The bits are those of a flat draw: they do not depend on how the array is cut into dimensions.
"""

import math

import jax


def uniform(key: jax.Array, shape: tuple[int, ...], half_width: float = 1.0) -> jax.Array:
    """U(-half_width, half_width), of the given shape."""
    flat = jax.random.uniform(key, (math.prod(shape),), minval=-1.0, maxval=1.0)
    return half_width * flat.reshape(shape)


def normal(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """N(0, 1), of the given shape."""
    return jax.random.normal(key, (math.prod(shape),)).reshape(shape)
