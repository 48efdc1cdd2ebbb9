"""Finite exact features of the kernel exp(x . y) on given points: phi(x) . phi(y) = exp(x . y).

They are the rows of U sqrt(lambda), with the eigenvalues lambda and eigenvectors U of the points' Gram matrix. The
error is about 2e-16 times the largest kernel value: smaller eigenvalues are noise, and negative ones count as zero.
"""

import jax
import jax.numpy as jnp


def gram_features(points_PxA: jax.Array, shift: float | jax.Array = 0.0) -> jax.Array:
    """Return the features (P, P), one row per point.

    Args:
        points_PxA: all points whose kernel values are needed, keys and queries.
        shift: gives features of exp(x . y - shift), for where exp(x . y) overflows. The factor cancels in attention.
    """
    kernel_PxP = jnp.exp(points_PxA @ points_PxA.T - shift)
    eigenvalues_P, eigenvectors_PxP = jnp.linalg.eigh(kernel_PxP)
    return eigenvectors_PxP * jnp.sqrt(jnp.maximum(eigenvalues_P, 0.0))[None]
