"""Weights before training are normal numbers of variance init_scale / fan-in."""

import jax
import jax.numpy as jnp
from flax import nnx


def normal(key: jax.Array, *size: int, init_scale: float | jax.Array, fan_in: int) -> nnx.Param:
    """Return a parameter of this size with its initial values; fan_in is the number of terms in each output's sum."""
    return nnx.Param(jnp.sqrt(init_scale / fan_in) * jax.random.normal(key, size))
