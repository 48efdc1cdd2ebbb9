"""Banded attention against one query at a time in NumPy, and against the full matrix with its gradients, in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.attention.banded import Geometry, Keys, Queries, attend

H, A = 2, 3


def normal(seed, *shape):
    return jax.random.normal(jax.random.key(seed), shape)


def case(kind, first, count, limit):
    """Keys of first + count interactions of three tokens (some absent), queries of the last `count`."""
    interactions = first + count
    present = jax.random.bernoulli(jax.random.key(9), 0.7, (interactions, 3))
    slots = (0, 2, 4)
    order = (3,) if kind == "summaries" else slots
    mine = (count, len(order), H, A)
    own = (normal(4, *mine), normal(5, *mine)) if kind == "summaries" else None
    queries = Queries(normal(0, *mine), jnp.arange(count * len(order)).reshape(mine[:2]), own)
    theirs = (interactions, 3, H, A)
    other = (normal(6, *theirs), normal(7, *theirs)) if kind == "mixed" else None
    places = jnp.arange(interactions * 3).reshape(interactions, 3)
    keys = Keys(normal(1, *theirs), normal(2, *theirs), places, present, other)
    return queries, keys, Geometry(first, order, slots, limit)


def bias(positions_T, positions_S):
    slopes = jnp.array([0.1, 0.3])
    return -slopes[:, None, None] * jnp.abs(positions_T[:, None] - positions_S[None])[None]


def share(distance):
    return jnp.asarray(np.where(distance > 0, 1 / (1 + np.abs(distance)), 0.0))


def one_at_a_time(queries, keys, geometry):
    out = np.zeros(queries.vectors.shape)
    for t, i, h in np.ndindex(out.shape[:3]):
        scores, values = [], []
        for s, j in np.ndindex(keys.present.shape):
            far = geometry.first + t - s
            order = geometry.query_order[i] - geometry.key_order[j]
            near_enough = geometry.limit is None or far <= geometry.limit
            sees = keys.present[s, j] and ((far > 0 and near_enough) or (far == 0 and order >= 0))
            if sees or (far == 0 and order == 0):
                key, value = keys.keys[s, j, h], keys.values[s, j, h]
                if keys.other is not None:
                    a = 1 / (1 + far) if far > 0 else 0.0
                    key, value = (a * o[s, j, h] + (1 - a) * e for o, e in zip(keys.other, (key, value), strict=True))
                distance = abs(int(queries.positions[t, i]) - int(keys.positions[s, j]))
                scores.append(queries.vectors[t, i, h] @ key - [0.1, 0.3][h] * distance)
                values.append(value)
        if queries.own is not None:
            scores.append(queries.vectors[t, i, h] @ queries.own[0][t, i, h])
            values.append(queries.own[1][t, i, h])
        weights = np.exp(np.array(scores))
        out[t, i, h] = weights @ np.array(values) / weights.sum()
    return out


@pytest.mark.parametrize("kind", ["tokens", "summaries", "mixed"])
@pytest.mark.parametrize("limit", [0, 2, None])
def test_attention_is_that_of_one_query_at_a_time(kind, limit, float64):
    queries, keys, geometry = case(kind, 2 if kind == "summaries" else 0, 3, limit)
    result = attend(queries, keys, geometry, bias=bias, weight=share)
    np.testing.assert_allclose(result, one_at_a_time(*jax.tree.map(np.asarray, (queries, keys)), geometry), atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "first", "count", "limit", "block"),
    [
        (kind, *sizes)
        for place, sizes in enumerate([(3, 7, 3, 3), (3, 8, 3, 2), (6, 5, 2, 2), (4, 5, 0, 2), (2, 6, 4, 1)])
        for kind in ("mixed", ("tokens", "summaries")[place % 2])
    ],
)
def test_bands_are_the_full_matrix(kind, first, count, limit, block, float64):
    """Blocks that divide nothing, a first window that begins before the first interaction, and after it."""
    queries, keys, geometry = case(kind, first if kind == "summaries" else 0, count, limit)

    @jax.jit
    def both(queries, keys):
        def total(vectors, block):
            queries_, keys_ = queries.replace(vectors=vectors[0]), keys.replace(keys=vectors[1], values=vectors[2])
            out = attend(queries_, keys_, geometry, block, bias, share)
            return jnp.sum(jnp.sin(out)), out

        arguments = (queries.vectors, keys.keys, keys.values)
        return [jax.grad(total, has_aux=True)(arguments, size) for size in (None, block)]

    full, banded = both(queries, keys)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-12), full, banded)
