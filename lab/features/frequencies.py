"""Frequencies of random features are rows that are each N(0, I_A), independent or orthogonal in blocks of A rows.

Orthogonal rows are those of a Haar-distributed orthogonal matrix, each scaled to the length of another, independent
row of N(0, I_A) [Yu et al. 2016, Orthogonal random features]. Every single row is still N(0, I_A), so estimates stay
unbiased.

Batches of frequencies (heads, seeds) are sampled by one call with axes in front: QR decompositions inside a `vmap` over
problems take minutes on a CPU.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from tasks.flat_random import Size, normal


def iid(key: jax.Array, shape: Size) -> jax.Array:
    """Return independent frequencies (.., M, A)."""
    return normal(key, shape)[0]


def orthogonal(key: jax.Array, shape: Size) -> jax.Array:
    """Return frequencies (.., M, A) in blocks of A; those of a block are orthogonal, and blocks are independent."""
    *axes, count, width = shape
    blocks = -(-count // width)
    gaussian, lengths = normal(key, (*axes, blocks, width, width), (*axes, count, width))
    directions = haar(gaussian).reshape(*axes, blocks * width, width)[..., :count, :]
    return directions * jnp.linalg.norm(lengths, axis=-1, keepdims=True)


def haar(gaussian: jax.Array) -> jax.Array:
    """Return uniformly distributed orthogonal matrices (.., A, A) from matrices of independent N(0, 1).

    The Q of a QR decomposition is not uniform, since its signs depend on the algorithm. With a positive diagonal of R
    the decomposition is unique, and its Q is uniform [Mezzadri 2007, How to generate random matrices].
    """
    q, r = jnp.linalg.qr(gaussian)
    diagonal = jnp.diagonal(r, axis1=-2, axis2=-1)
    return q * jnp.where(diagonal < 0, -1.0, 1.0)[..., None, :]


SAMPLERS: dict[str, Callable[[jax.Array, Size], jax.Array]] = {"iid": iid, "orthogonal": orthogonal}
