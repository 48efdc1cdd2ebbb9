"""Is learning in context like fine-tuning on the same examples? The measures of [DAI] on one episode.

Three learners answer the same queries: zero-shot (ZSL), in context (ICL) and fine-tuned (FT). Shapes: L layers, Q
queries, T tokens, H heads, D token width, S tokens attended to, N examples.
"""

import jax
import jax.numpy as jnp


def cosine(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return the cosine of the angle between vectors along the last axis; 0 where a vector is zero."""
    norms = jnp.linalg.norm(a, axis=-1) * jnp.linalg.norm(b, axis=-1)
    return jnp.sum(a * b, axis=-1) / jnp.where(norms > 0, norms, 1.0)


def unit(a: jax.Array) -> jax.Array:
    """Return vectors along the last axis divided by their norms; a zero vector stays zero."""
    norm = jnp.linalg.norm(a, axis=-1, keepdims=True)
    return a / jnp.where(norm > 0, norm, 1.0)


def sim_aou(zero_LxQxD: jax.Array, context_LxQxD: jax.Array, tuned_LxQxD: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the similarity of the updates of attention's output, (L, Q), and the same of centred updates, (L, Q).

    The first is cos(n(ICL) - n(ZSL), n(FT) - n(ZSL)), where n is the unit vector of what attention adds to the query's
    token. For the second the mean update over the queries, which belongs to no query alone, is subtracted first.
    """
    zero, context, tuned = (unit(each) for each in (zero_LxQxD, context_LxQxD, tuned_LxQxD))
    updates = context - zero, tuned - zero
    centred = (each - jnp.mean(each, axis=1, keepdims=True) for each in updates)
    return cosine(*updates), cosine(*centred)


def sim_am(a_LxHxQxS: jax.Array, b_LxHxQxS: jax.Array) -> jax.Array:
    """Return the similarity of attention maps, (L, Q): the cosine of scores before the softmax, mean over the heads."""
    return jnp.mean(cosine(a_LxHxQxS, b_LxHxQxS), axis=1)


def kendall(a: jax.Array, b: jax.Array) -> jax.Array:
    """Return Kendall's tau of two orders along the last axis (tau-a: pairs that tie count 0)."""
    count = a.shape[-1]
    pairs = (jnp.sign(each[..., :, None] - each[..., None, :]) for each in (a, b))
    first, second = pairs
    return jnp.sum(first * second, axis=(-2, -1)) / (count * (count - 1))
