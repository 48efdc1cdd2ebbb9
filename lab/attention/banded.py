"""Softmax attention among the interactions of a stream, with masks that depend on their distance.

Queries and keys are arrays over interactions and tokens of each, (M, c, H, A), so a window of interactions is a slice
of the first axis. With blocks of b interactions a query costs the w + b interactions of its block's window, w the limit
rounded up to blocks; with a single block this is attention with a full, masked matrix of scores.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

Bias = Callable[[jax.Array, jax.Array], jax.Array]  # positions (T,) and (S,) -> (H, T, S)
Weight = Callable[[np.ndarray], jax.Array]  # distance in interactions -> share of the other keys and values


@struct.dataclass
class Queries:
    """vectors: (M, c, H, A). positions: (M, c). own: key and value of the query's own, seen by it alone, or None."""

    vectors: jax.Array
    positions: jax.Array
    own: tuple[jax.Array, jax.Array] | None = None


@struct.dataclass
class Keys:
    """keys, values: (M, c, H, A). positions, present: (M, c). other: keys and values that these are mixed with."""

    keys: jax.Array
    values: jax.Array
    positions: jax.Array
    present: jax.Array
    other: tuple[jax.Array, jax.Array] | None = None


@dataclasses.dataclass(frozen=True)
class Geometry:
    """Who may see whom, by interaction and place within it.

    first: the interaction of the first query; those of keys begin at 0. query_order, key_order: of the tokens of an
    interaction; a token sees those of its own interaction whose order is not above its own. limit: how many
    interactions back; None: all.
    """

    first: int
    query_order: tuple[int, ...]
    key_order: tuple[int, ...]
    limit: int | None


def attend(
    queries: Queries,
    keys: Keys,
    geometry: Geometry,
    block: int | None = None,
    bias: Bias | None = None,
    weight: Weight | None = None,
) -> jax.Array:
    """What every query gets, (M, c, H, A).

    Args:
        block: interactions of a block; None: one block of all. Without a limit there is one block in any case.
        bias: added to the scores.
        weight: of `keys.other`, by distance.
    """
    count = len(queries.vectors)
    whole = block is None or geometry.limit is None or block >= count
    size = count if whole else block
    back = geometry.first if whole else -(-geometry.limit // block) * block
    distance = back + np.arange(size)[:, None] - np.arange(back + size)[None]
    mask_TxS, self_TxS = _masks(distance, geometry)
    far_TxS = np.repeat(np.repeat(distance, len(geometry.query_order), axis=0), len(geometry.key_order), axis=1)

    def one_block(queries: Queries, keys: Keys) -> jax.Array:
        share_TxS = None if weight is None or keys.other is None else weight(far_TxS)
        return _attend(queries, keys, mask_TxS, self_TxS, bias, share_TxS)

    if whole:
        return one_block(queries, keys)
    blocks = -(-count // size)
    query_blocks = jax.tree.map(
        lambda each: _padded(each, 0, blocks * size).reshape(blocks, size, *each.shape[1:]), queries
    )
    key_windows = jax.tree.map(lambda each: _windows(each, geometry.first - back, size, back // size, blocks), keys)
    out = jax.vmap(one_block)(query_blocks, key_windows)
    return out.reshape(blocks * size, *out.shape[2:])[:count]


def _masks(distance: np.ndarray, geometry: Geometry) -> tuple[np.ndarray, np.ndarray]:
    """(T, S) each: what may be seen where it is there, and which key is the query's own token."""
    order = np.array(geometry.query_order)[:, None] - np.array(geometry.key_order)[None]
    d, o = distance[:, None, :, None], order[None, :, None, :]
    far = (d > 0) & (d <= (np.inf if geometry.limit is None else geometry.limit))
    shape = (distance.shape[0] * order.shape[0], distance.shape[1] * order.shape[1])
    return (far | ((d == 0) & (o >= 0))).reshape(shape), ((d == 0) & (o == 0)).reshape(shape)


def _attend(queries: Queries, keys: Keys, mask_TxS, self_TxS, bias: Bias | None, share_TxS) -> jax.Array:
    """Of one block, (M, c, H, A); the scale of the scores is in queries and keys."""
    shape = queries.vectors.shape

    def flat(each: jax.Array) -> jax.Array:
        return each.reshape(-1, *each.shape[2:])

    q_TxHxA, k_SxHxA, v_SxHxA = flat(queries.vectors), flat(keys.keys), flat(keys.values)
    scores_HxTxS = jnp.einsum("tha,sha->hts", q_TxHxA, k_SxHxA)
    if share_TxS is not None:
        other_keys, other_values = (flat(each) for each in keys.other)
        scores_HxTxS += share_TxS[None] * (jnp.einsum("tha,sha->hts", q_TxHxA, other_keys) - scores_HxTxS)
    if bias is not None:
        scores_HxTxS += bias(flat(queries.positions), flat(keys.positions))
    mask_TxS = (mask_TxS & flat(keys.present)[None]) | self_TxS  # a token that is not there still sees itself
    if queries.own is not None:
        own_key, own_value = (flat(each) for each in queries.own)
        own_HxTx1 = jnp.einsum("tha,tha->ht", q_TxHxA, own_key)[..., None]
        scores_HxTxS = jnp.concatenate([scores_HxTxS, own_HxTx1], axis=-1)
        mask_TxS = jnp.concatenate([mask_TxS, jnp.ones((len(mask_TxS), 1), bool)], axis=1)
    weights = jax.nn.softmax(scores_HxTxS, axis=-1, where=mask_TxS[None])
    if queries.own is not None:
        weights, own_weight_HxTx1 = weights[..., :-1], weights[..., -1:]
    mixed = weights if share_TxS is None else weights * (1 - share_TxS[None])
    out_TxHxA = jnp.einsum("hts,sha->tha", mixed, v_SxHxA)
    if share_TxS is not None:
        out_TxHxA += jnp.einsum("hts,sha->tha", weights * share_TxS[None], other_values)
    if queries.own is not None:
        out_TxHxA += own_weight_HxTx1.transpose(1, 0, 2) * own_value
    return out_TxHxA.reshape(shape)


def _windows(each: jax.Array, first: int, block: int, blocks_back: int, blocks: int) -> jax.Array:
    """(blocks, (blocks_back + 1) * block, ...): each block with those before it. The window of the first one begins
    at the interaction `first`; where there is none, as before the first one, are zeros."""
    from_first = each[first:] if first >= 0 else _padded(each, -first, len(each) - first)
    length = (blocks_back + blocks) * block
    cut = _padded(from_first[:length], 0, length).reshape(-1, block, *each.shape[1:])
    return jnp.concatenate([cut[j : j + blocks] for j in range(blocks_back + 1)], axis=1)


def _padded(each: jax.Array, front: int, length: int) -> jax.Array:
    """As long as that, with zeros (False) in front and behind."""
    return jnp.pad(each, [(front, length - front - len(each))] + [(0, 0)] * (each.ndim - 1))
