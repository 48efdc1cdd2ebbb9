"""Weights before training: normal numbers of variance init_scale / fan-in."""

import jax
import jax.numpy as jnp
from flax import nnx


def normal(key: jax.Array, *size: int, init_scale: float | jax.Array, fan_in: int) -> nnx.Param:
    """Of this size; fan_in is how many numbers each output is a sum over."""
    return nnx.Param(jnp.sqrt(init_scale / fan_in) * jax.random.normal(key, size))
