"""`markov`: every sequence has a Markov chain of its own, whose transitions must be learned from the sequence itself.

Each row of the transition matrix ~ Dirichlet(a, .., a), and the first symbol is uniformly distributed. Given the
symbols so far, the next symbol is j with probability (n_ij + a) / (n_i + C a), where n_ij counts the transitions from
the present symbol i to j and n_i all transitions from i. This is the Bayes-optimal answer, and sequences are drawn by
it too, without a matrix.

>>> import jax
>>> episodes = Markov(num_context=6).sample(jax.random.key(0), batch=3)
>>> episodes.prompt.context.x.shape, episodes.prompt.visible.shape, episodes.target.shape
((3, 6, 8), (3, 6, 6), (3, 6))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.episode import Prompt
from tasks.masks import visible_or_all
from tasks.symbols import Symbols, inverse_cdf
from tasks.task import pytree


@pytree
class Markov(settings.Markov, Symbols):
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
