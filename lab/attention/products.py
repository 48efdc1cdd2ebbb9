"""Products of small matrices, for one prompt or for many prompts side by side.

A matrix is (rows, columns), or (rows, columns, lanes) with one lane per prompt. With lanes, an entry of a product is a
sum of a few products of vectors over the lanes, for which processors have instructions. XLA's CPU code does so three to
eight times as fast as it multiplies one small matrix after the other. Such products, and their derivatives, which are
products again, are computed `apart`: fused into one another they would be computed anew for every entry that uses them.

Shape suffixes: N, K, D rows and columns, L lanes.
"""

from collections.abc import Iterable

import jax
import jax.numpy as jnp

from tasks.unfused import apart

LANES = 64
WIDEST = 24  # rows or columns; larger matrices are multiplied as fast one after the other, and compile faster


def multiplied_in_lanes(*sizes: int) -> bool:
    """Return whether products of matrices with these numbers of rows and columns are faster in lanes."""
    return jax.default_backend() == "cpu" and max(sizes) <= WIDEST


def times(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return a b, (N, D)."""
    return a @ b if a.ndim == 2 else _times(a, b)


def times_t(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return a b^T, (N, D)."""
    return a @ b.T if a.ndim == 2 else _times_t(a, b)


def t_times(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return a^T b, (N, D)."""
    return a.T @ b if a.ndim == 2 else _t_times(a, b)


def right(a: jax.Array, shared_KxD: jax.Array) -> jax.Array:
    """Return a times a matrix that all prompts have in common, (N, D)."""
    return a @ shared_KxD if a.ndim == 2 else _right(a, shared_KxD)


@apart
def _sum(a_NxKxL: jax.Array, b_KxDxL: jax.Array) -> jax.Array:
    return _total(a_NxKxL[:, k, None] * b_KxDxL[None, k] for k in range(len(b_KxDxL)))


@apart
def _sum_t(a_NxKxL: jax.Array, b_DxKxL: jax.Array) -> jax.Array:
    return _total(a_NxKxL[:, None, k] * b_DxKxL[None, :, k] for k in range(a_NxKxL.shape[1]))


@apart
def _t_sum(a_KxNxL: jax.Array, b_KxDxL: jax.Array) -> jax.Array:
    return _total(a_KxNxL[k, :, None] * b_KxDxL[k, None] for k in range(len(a_KxNxL)))


@apart
def _sum_shared(a_NxKxL: jax.Array, b_KxD: jax.Array) -> jax.Array:
    return _total(a_NxKxL[:, k, None] * b_KxD[None, k, :, None] for k in range(len(b_KxD)))


def _total(terms: Iterable[jax.Array]) -> jax.Array:
    """Return the sum of at least one term, which is an array and not the 0 from which `sum` starts."""
    return jnp.asarray(sum(terms))


_times, _times_t, _t_times, _right = map(jax.custom_vjp, (_sum, _sum_t, _t_sum, _sum_shared))
_times.defvjp(lambda a, b: (_sum(a, b), (a, b)), lambda ab, g: (_sum_t(g, ab[1]), _t_sum(ab[0], g)))
_times_t.defvjp(lambda a, b: (_sum_t(a, b), (a, b)), lambda ab, g: (_sum(g, ab[1]), _t_sum(g, ab[0])))
_t_times.defvjp(lambda a, b: (_t_sum(a, b), (a, b)), lambda ab, g: (_sum_t(ab[1], g), _sum(ab[0], g)))
_right.defvjp(
    lambda a, b: (_sum_shared(a, b), (a, b)),
    lambda ab, g: (_sum_shared(g, ab[1].T), jnp.sum(_t_sum(ab[0], g), axis=-1)),
)


def into_lanes(array_BxNxD: jax.Array) -> jax.Array:
    """Return the matrices of B prompts as G blocks of L lanes, (G, N, D, L); the last block is filled up with zeros."""
    batch = len(array_BxNxD)
    lanes = min(LANES, batch)
    padded = jnp.pad(array_BxNxD, [(0, -batch % lanes), (0, 0), (0, 0)])
    return jnp.moveaxis(padded.reshape(-1, lanes, *array_BxNxD.shape[1:]), 1, 3)


def out_of_lanes(array_GxNxDxL: jax.Array, batch: int) -> jax.Array:
    """Return the matrices of the prompts one by one again, (B, N, D); the inverse of `into_lanes`."""
    array_GxLxNxD = jnp.moveaxis(array_GxNxDxL, 3, 1)
    return array_GxLxNxD.reshape(-1, *array_GxLxNxD.shape[2:])[:batch]
