"""`hmm_mixture`: every sequence comes from one of a few hidden Markov models, which are the same in all episodes.

The rows of their transition and emission matrices are Dirichlet(1/2) draws, which `world` fixes. A sequence's model and
its first hidden state are uniformly distributed. Training can learn the models; the model and the hidden state have to
be inferred from the sequence. The Bayes-optimal answer is that of the forward algorithm over all models.

>>> import jax
>>> episodes = HmmMixture(num_context=6).sample(jax.random.key(0), batch=3)
>>> episodes.prompt.context.x.shape, episodes.target.shape
((3, 6, 8), (3, 6))
"""

import jax
import jax.numpy as jnp

from tasks import settings
from tasks.classification import InWorld
from tasks.episode import Prompt, visible_or_all
from tasks.flat_random import normal
from tasks.symbols import Symbols, inverse_cdf
from tasks.task import pytree


@pytree
class HmmMixture(settings.HmmMixture, InWorld, Symbols):
    @property
    def models(self) -> tuple[jax.Array, jax.Array]:
        """Return transitions (K, H, H) and emissions (K, H, C) of K models with H hidden states; last axes sum to 1.

        Squares of standard normal numbers divided by their sum have the distribution Dirichlet(1/2).
        """
        count, hidden = self.num_models, self.num_hidden
        squares = [
            z**2 for z in normal(jax.random.key(self.world), (count, hidden, hidden), (count, hidden, self.num_symbols))
        ]
        transitions, emissions = (each / jnp.sum(each, axis=-1, keepdims=True) for each in squares)
        return transitions, emissions

    def draw(self, key: jax.Array, batch: int) -> jax.Array:
        transitions, emissions = self.models
        key_start, key_next = jax.random.split(key)
        start_B = jax.random.randint(key_start, (batch,), 0, self.num_models * self.num_hidden)
        model_B, state_B = start_B // self.num_hidden, start_B % self.num_hidden
        length = self.num_context + 1
        uniform_Tx2xB = jax.random.uniform(key_next, (length * 2 * batch,)).reshape(length, 2, batch)

        def step(state_B, uniform_2xB):
            symbol_B = inverse_cdf(emissions[model_B, state_B], uniform_2xB[0])
            return inverse_cdf(transitions[model_B, state_B], uniform_2xB[1]), symbol_B

        _, symbols_TxB = jax.lax.scan(step, state_B, uniform_Tx2xB)
        return symbols_TxB.T

    def optimal(self, prompt: Prompt) -> jax.Array:
        """Return the Bayes-optimal logits (Q, C): log p(next symbol | symbols so far).

        They are NaN for a query whose visible examples are not the first ones, or whose input is not the symbol with
        which its visible examples end: some symbols before the query are unknown then.
        """
        transitions, emissions = self.models
        start_KxH = jnp.full(emissions.shape[:2], 1 / (self.num_models * self.num_hidden))

        def after(state_KxH: jax.Array, x_C: jax.Array) -> jax.Array:
            """Return p(model, hidden state of the next symbol | symbols up to x) from that distribution before x."""
            seen_KxH = state_KxH * (emissions @ x_C)
            return jnp.einsum("kh,khi->ki", seen_KxH / jnp.sum(seen_KxH), transitions)

        def step(state_KxH, x_C):
            state_KxH = after(state_KxH, x_C)
            return state_KxH, state_KxH

        _, later_NxKxH = jax.lax.scan(step, start_KxH, prompt.context.x)
        states = jnp.concatenate([start_KxH[None], later_NxKxH])  # before each symbol
        visible_QxN = visible_or_all(prompt)
        count_Q = jnp.sum(visible_QxN, axis=1)
        state_QxKxH = jax.vmap(after)(states[count_Q], prompt.query.x)
        logits_QxC = jnp.log(jnp.einsum("qkh,khc->qc", state_QxKxH, emissions))
        goes_on_Q = jnp.all(prompt.answers[jnp.maximum(count_Q - 1, 0)] == prompt.query.x, axis=-1) | (count_Q == 0)
        first_Q = jnp.all(visible_QxN[:, :-1] >= visible_QxN[:, 1:], axis=1)
        return jnp.where((goes_on_Q & first_Q)[:, None], logits_QxC, jnp.nan)
