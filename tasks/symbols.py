"""Sequences of symbols, each of which is to be predicted from those before it.

A sequence s_0 .. s_N has N transitions (s_t, s_{t+1}). They are the examples of an episode, and its queries too: query
t shows s_t, asks for s_{t+1}, and sees the t transitions before. So `Prompt.visible` is a triangle, and a model that
reads the sequence once, with a causal mask, answers all queries of an episode (`lab.learners.sequence`).
"""

from typing import ClassVar

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.classification import Classification
from tasks.episode import Episode, Inputs, Prompt, triangle, visible_or_all
from tasks.task import pytree


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


@pytree
class Markov(settings.Markov, Symbols):
    """`markov`: every sequence has a Markov chain of its own, whose transitions must be learned from it.

    Each row of the transition matrix ~ Dirichlet(a, .., a), and the first symbol is uniformly distributed. Given the
    symbols so far, the next symbol is j with probability (n_ij + a) / (n_i + C a), where n_ij counts the transitions
    from the present symbol i to j and n_i all transitions from i. This is the Bayes-optimal answer, and sequences are
    drawn by it too, without a matrix.

    >>> import jax
    >>> episodes = Markov(num_context=6).sample(jax.random.key(0), batch=3)
    >>> episodes.prompt.context.x.shape, episodes.prompt.visible.shape, episodes.target.shape
    ((3, 6, 8), (3, 6, 6), (3, 6))
    """

    def draw(self, key: jax.Array, batch: int) -> jax.Array:
        key_first, key_next = jax.random.split(key)
        first_B = jax.random.randint(key_first, (batch,), 0, self.num_symbols)
        uniform_NxB = jax.random.uniform(key_next, (self.num_context * batch,)).reshape(self.num_context, batch)
        episodes_B = jnp.arange(batch)

        def step(carry, uniform_B):
            count_BxCxC, symbol_B = carry
            next_B = inverse_cdf(count_BxCxC[episodes_B, symbol_B] + self.concentration, uniform_B)
            return (count_BxCxC.at[episodes_B, symbol_B, next_B].add(1.0), next_B), next_B

        empty = jnp.zeros((batch, self.num_symbols, self.num_symbols))
        _, later_NxB = jax.lax.scan(step, (empty, first_B), uniform_NxB)
        return jnp.concatenate([first_B[:, None], later_NxB.T], axis=1)

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal logits (Q, C), log(n_ij + a) over the visible transitions from the query's symbol
        i."""
        same_QxN = prompt.query.x @ prompt.context.x.T
        return jnp.log(jnp.where(visible_or_all(prompt), same_QxN, 0.0) @ prompt.answers + self.concentration)
