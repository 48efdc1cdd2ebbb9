"""Features of the kernel exp(x . y) without randomness.

Taylor features of degree p have phi(x) . phi(y) = sum_{n <= p} (x . y)^n / n!. They are the monomials
prod_a x_a^{n_a} / sqrt(n_a!) of total degree up to p, by the multinomial theorem (Cotter, Keshet & Srebro 2011,
"Explicit approximations of the Gaussian kernel"). The error of a kernel value is at most |s|^{p+1} / (p+1)! max(1, e^s)
for s = x . y, Lagrange's remainder.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln


@functools.cache
def exponents(width: int, degree: int) -> np.ndarray:
    """Return the exponents n_a of each monomial (F, A), those of lower total degree first; F = C(A + p, p)."""
    factors = (
        each for total in range(degree + 1) for each in itertools.combinations_with_replacement(range(width), total)
    )
    return np.array([np.bincount(np.array(each, int), minlength=width) for each in factors])


def taylor_features(points_PxA: jax.Array, degree: int) -> jax.Array:
    """Return the features (P, F), one row per point; those of a lower degree p are the first C(A + p, p) columns."""
    exponents_FxA = exponents(points_PxA.shape[-1], degree)
    numbers_N = np.arange(degree + 1.0)[:, None, None]
    powers_NxPxA = points_PxA[None] ** numbers_N / jnp.exp(gammaln(numbers_N + 1) / 2)
    chosen = (powers_NxPxA[exponents_FxA[:, a], :, a] for a in range(exponents_FxA.shape[1]))
    return functools.reduce(jnp.multiply, chosen).T


def remainder(scores: jax.Array, degree: int | jax.Array) -> jax.Array:
    """Return Lagrange's bound on the error of kernel values with these scores x . y, in an array of their shape."""
    return jnp.abs(scores) ** (degree + 1) / jnp.exp(gammaln(degree + 2.0)) * jnp.exp(jnp.maximum(scores, 0.0))


def gram_features(points_PxA: jax.Array, shift: float | jax.Array = 0.0) -> jax.Array:
    """Return finite features (P, P) that are exact on given points, phi(x) . phi(y) = exp(x . y), one row per point.

    They are the rows of U sqrt(lambda), with the eigenvalues lambda and eigenvectors U of the points' Gram matrix. The
    error is about 2e-16 times the largest kernel value: smaller eigenvalues are noise, and negative ones count as zero.

    Args:
        points_PxA: all points whose kernel values are needed, keys and queries.
        shift: gives features of exp(x . y - shift), for where exp(x . y) overflows. The factor cancels in attention.
    """
    kernel_PxP = jnp.exp(points_PxA @ points_PxA.T - shift)
    eigenvalues_P, eigenvectors_PxP = jnp.linalg.eigh(kernel_PxP)
    return eigenvectors_PxP * jnp.sqrt(jnp.maximum(eigenvalues_P, 0.0))[None]
