"""Linear attention: out_t = sum_s v_s (k_s . q_t). No softmax, no scale."""

import jax


def linear_attention(queries_TxA: jax.Array, keys_SxA: jax.Array, values_SxC: jax.Array) -> jax.Array:
    """(T, A), (S, A), (S, C) -> (T, C), associated whichever way multiplies less.

    Scores first costs T S (A + C); the Gram matrix first, (S + T) A C, which is linear in the length of the context.
    """
    queries, width = queries_TxA.shape
    keys, out = values_SxC.shape
    if queries * keys * (width + out) <= (keys + queries) * width * out:
        return (queries_TxA @ keys_SxA.T) @ values_SxC
    return queries_TxA @ (keys_SxA.T @ values_SxC)
