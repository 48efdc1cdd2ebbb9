"""Attention of grouped heads behind a history that many sequences share, and rotary positions by their frequencies.

The softmax is over the history's keys and the tokens' own together, but the two products are apart: where sequences of
a batch share a history, `vmap` then gives one large product with it, and no copies of its keys. Where nobody asks for
the scores, some queries at a time compare themselves with the keys up to the last of them alone, which halves the
products and the memory of long texts.
"""

import jax
import jax.numpy as jnp

from lab.learners.decoder_block import KeyValues

QUERIES = 128  # at a time, where scores are not kept; more in texts of more than MOST such blocks
MOST = 16  # blocks: each is compiled


def attend(
    q_HxTxA: jax.Array,
    k_GxTxA: jax.Array,
    v_GxTxA: jax.Array,
    mask: jax.Array,
    bias: jax.Array | None,
    past: KeyValues | None,
) -> tuple[jax.Array, jax.Array]:
    """Return what each head reads, (H, T, A), and its scores (H, T, S), which hold the bias.

    Args:
        q_HxTxA: queries, with the factor of the scores; scores and softmax are computed in their type.
        mask: (T, S), True where a token sees a key; the keys of the history come first.
        bias: (H, T, S) added to the scores, or None.
        past: keys and values of the history, (G, S', A) each, or None.
    """
    heads, count, width = q_HxTxA.shape
    q_GxRxTxA = q_HxTxA.reshape(len(k_GxTxA), -1, count, width)
    parts = [(k_GxTxA, v_GxTxA)] if past is None else [past, (k_GxTxA, v_GxTxA)]
    parts = [(k.astype(q_HxTxA.dtype), v.astype(q_HxTxA.dtype)) for k, v in parts]
    scores = jnp.concatenate([jnp.einsum("grta,gsa->grts", q_GxRxTxA, k) for k, _ in parts], axis=-1)
    scores = scores.reshape(heads, count, -1)
    if bias is not None:
        scores = scores + bias.astype(scores.dtype)
    weights = jax.nn.softmax(scores, axis=-1, where=mask[None]).reshape(*q_GxRxTxA.shape[:3], -1)
    out, first = jnp.zeros_like(q_GxRxTxA), 0
    for _, v in parts:
        out = out + jnp.einsum("grts,gsa->grta", weights[..., first : first + v.shape[1]], v)
        first += v.shape[1]
    return out.reshape(heads, count, width), scores


def causal_outputs(
    q_HxTxA: jax.Array,
    k_GxTxA: jax.Array,
    v_GxTxA: jax.Array,
    mask: jax.Array,
    bias: jax.Array | None,
    past: KeyValues | None,
) -> jax.Array:
    """Return what each head reads, (H, T, A), as `attend`, of tokens that see none behind them, whatever the mask."""
    count = q_HxTxA.shape[1]
    past_keys, size, outputs = mask.shape[1] - count, max(QUERIES, -(-count // MOST)), []
    for first in range(0, count, size):
        last = min(first + size, count)
        rows, columns = slice(first, last), slice(past_keys + last)
        part = None if bias is None else bias[:, rows, columns]
        q, k, v = q_HxTxA[:, rows], k_GxTxA[:, :last], v_GxTxA[:, :last]
        outputs.append(attend(q, k, v, mask[rows, columns], part, past)[0])
    return outputs[0] if len(outputs) == 1 else jnp.concatenate(outputs, axis=1)


def turned(x_HxTxA: jax.Array, positions_T: jax.Array, frequencies: tuple[float, ...], neighbours: bool) -> jax.Array:
    """Return queries or keys (H, T, A) with the first 2 R coordinates turned by position times frequency.

    Args:
        frequencies: (R,) radians per position.
        neighbours: whether plane r is coordinates 2r, 2r + 1, and not r, r + R.
    """
    planes, dtype = len(frequencies), jnp.promote_types(x_HxTxA.dtype, jnp.float32)
    angle_TxR = positions_T[:, None].astype(dtype) * jnp.asarray(frequencies, dtype)[None]
    cos, sin = jnp.cos(angle_TxR)[None], jnp.sin(angle_TxR)[None]
    part = x_HxTxA[..., : 2 * planes].astype(dtype)
    pairs = (part[..., ::2], part[..., 1::2]) if neighbours else (part[..., :planes], part[..., planes:])
    both = cos * pairs[0] - sin * pairs[1], sin * pairs[0] + cos * pairs[1]
    part = jnp.stack(both, axis=-1).reshape(part.shape) if neighbours else jnp.concatenate(both, axis=-1)
    return jnp.concatenate([part.astype(x_HxTxA.dtype), x_HxTxA[..., 2 * planes :]], axis=-1)
