"""Sequences of symbols, each of which is to be predicted from those before it.

A sequence s_0 .. s_N has N transitions (s_t, s_{t+1}). They are the examples of an episode, and its queries too: query
t shows s_t, asks for s_{t+1}, and sees the t transitions before. So `Prompt.visible` is a triangle, and a model that
reads the sequence once, with a causal mask, answers all queries of an episode (`lab.learners.sequence`).
"""

from typing import ClassVar

import jax
import jax.numpy as jnp

from tasks.classification import Classification
from tasks.episode import Episode, Inputs, Prompt
from tasks.masks import triangle


class Symbols(Classification):
    """Base class of tasks of this form, which define `draw` and have `num_symbols` (C) among their settings."""

    asks_its_examples: ClassVar[bool] = True
    num_symbols: int

    @property
    def features(self) -> tuple[tuple[str, int], ...]:
        return (("x", self.num_symbols),)

    @property
    def answer_dim(self) -> int:
        return self.num_symbols

    def draw(self, key: jax.Array, batch: int) -> jax.Array:
        """Return sequences (B, N + 1) of numbers from 0 to num_symbols - 1."""
        raise NotImplementedError

    def sample(self, key: jax.Array, batch: int) -> Episode:
        return self.episodes(self.draw(key, batch))

    def episodes(self, symbols_BxT: jax.Array) -> Episode:
        """Return sequences of N + 1 symbols as episodes; a number that is no symbol's (padding) becomes a zero
        vector."""
        batch = len(symbols_BxT)
        one_hot_BxTxC = jax.nn.one_hot(symbols_BxT, self.num_symbols, dtype=jnp.result_type(float))
        inputs, answers = Inputs(one_hot_BxTxC[:, :-1]), one_hot_BxTxC[:, 1:]
        visible_BxNxN = jnp.broadcast_to(triangle(self.num_context), (batch, self.num_context, self.num_context))
        return Episode(Prompt(inputs, answers, inputs, visible=visible_BxNxN), target=symbols_BxT[:, 1:])


def inverse_cdf(weight_BxC: jax.Array, uniform_B: jax.Array) -> jax.Array:
    """Return one category per row (B,), drawn with probabilities proportional to its weights from U(0, 1) numbers."""
    cumulative_BxC = jnp.cumsum(weight_BxC, axis=-1)
    drawn_B = jnp.sum(cumulative_BxC <= uniform_B[:, None] * cumulative_BxC[:, -1:], axis=-1)
    return jnp.minimum(drawn_B, weight_BxC.shape[-1] - 1)  # rounding can make the product equal to the total
