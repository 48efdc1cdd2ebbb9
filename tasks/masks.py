"""Masks of the examples that each query sees: `Prompt.visible`, (Q, N) bool."""

import jax
import jax.numpy as jnp

from tasks.episode import Prompt


def triangle(count: int) -> jax.Array:
    """Return the mask (count, count) with which query t sees the first t examples."""
    return jnp.arange(count)[None] < jnp.arange(count)[:, None]


def visible_or_all(prompt: Prompt) -> jax.Array:
    """Return the prompt's mask (Q, N), in which all examples are visible if the prompt has none."""
    if prompt.visible is None:
        return jnp.ones((len(prompt.query.x), len(prompt.answers)), bool)
    return prompt.visible
