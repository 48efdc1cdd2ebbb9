"""A decoder that reads a sequence of symbols once and predicts the next one at every place.

The decoder of `lab.learners.decoder` has a token for each example and one for each query, and an example shows x and y
together. Here token t is that of query t alone, the symbol s_t, and sees those before it. So there are half as many
tokens, and the symbol that followed another one has to be looked up in another token.
"""

import jax
import jax.numpy as jnp

from lab.learners.decoder import Decoder
from lab.learners.decoder_block import Seen
from tasks.episode import Prompt


class SequenceDecoder(Decoder):
    """Answers prompts as `tasks.symbols` makes them.

    A query that does not see exactly the examples before it is answered NaN.
    """

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.together(*self.tokens(prompt))  # however many queries there are: they see each other

    def tokens(self, prompt: Prompt) -> tuple[jax.Array, Seen, jax.Array]:
        """Return the instructions and one token per query; a symbol has the same vector as it has as an answer."""
        places_Q, instructions = jnp.arange(len(prompt.query.x)), self.shape.instructions
        table_DxX = self.w_embed[:, -self.shape.layout.tokens.answer_dim :]
        positions_T = jnp.arange(instructions + len(places_Q))
        tokens_TxD = jnp.concatenate([self.instructions[...], prompt.query.x @ table_DxX.T])
        mask_TxT = jnp.tril(jnp.ones((len(positions_T),) * 2, bool))
        bias = self.positions.bias(self.shape.num_heads, positions_T, positions_T)
        visibility = Seen(mask_TxT, positions_T, bias)
        return self.positions.embed(tokens_TxD, positions_T), visibility, in_order(prompt)


def in_order(prompt: Prompt) -> jax.Array:
    """Return (Q,) bool: whether query t sees exactly the first t examples, as a learner that reads in order needs."""
    count, num_context = len(prompt.query.x), len(prompt.answers)
    if prompt.visible is None or num_context < count - 1:
        return jnp.zeros(count, bool)
    expected_QxN = jnp.arange(num_context)[None] < jnp.arange(count)[:, None]
    return jnp.all(prompt.visible == expected_QxN, axis=1)
