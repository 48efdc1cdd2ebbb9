"""Systems of linear equations and inverses of small matrices, by products and elimination.

LAPACK is not used: on a CPU, XLA's batched LAPACK calls wait for threads of the pool that runs them, and two that run
at once in one program (least squares has one) can wait for each other for ever on a machine of two cores.
"""

import jax
import jax.numpy as jnp


def solve_positive(a_NxN: jax.Array, b_NxY: jax.Array) -> jax.Array:
    """Return the solution x (N, Y) of a x = b for a symmetric positive definite a, by elimination without pivots."""
    size = a_NxN.shape[0]

    def eliminate(i, rows):
        row = rows[i] / rows[i, i]
        return (rows - rows[:, i, None] * row[None]).at[i].set(row)

    return jax.lax.fori_loop(0, size, eliminate, jnp.concatenate([a_NxN, b_NxY], axis=1))[:, size:]


def solve_each(a_CxNxN: jax.Array, b_CxN: jax.Array) -> jax.Array:
    """Return the solutions (C, N) of C systems, each by `solve_positive`."""
    return jax.vmap(lambda a_NxN, b_N: solve_positive(a_NxN, b_N[:, None])[:, 0])(a_CxNxN, b_CxN)


def inverse_one_plus(a_CxC: jax.Array) -> jax.Array:
    """Return the inverse of I + A (C, C) for a matrix A that is 0 on and above its diagonal.

    Inverses of blocks on the diagonal are joined two by two, [[P, 0], [B, R]]^-1 = [[P^-1, 0], [-R^-1 B P^-1, R^-1]],
    so that log2 C products of matrices take the place of C steps.
    """
    count = len(a_CxC)
    size = 1 << (count - 1).bit_length()
    a = jnp.pad(a_CxC, (0, size - count))
    inverse = jnp.ones((size, 1, 1), a.dtype)
    for width in (1 << power for power in range(size.bit_length() - 1)):
        blocks, pairs = a.reshape(size // (2 * width), 2 * width, -1, 2 * width), jnp.arange(size // (2 * width))
        first, second = inverse[::2], inverse[1::2]
        corner = -second @ blocks[pairs, width:, pairs, :width] @ first
        upper = jnp.concatenate([first, jnp.zeros_like(first)], axis=2)
        inverse = jnp.concatenate([upper, jnp.concatenate([corner, second], axis=2)], axis=1)
    return inverse[0, :count, :count]
