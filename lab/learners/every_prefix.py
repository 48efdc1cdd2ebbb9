"""A decoder that reads interleaved tokens x_1 y_1 x_2 y_2 .. once and answers after every prefix [Garg22].

The decoder of `lab.learners.decoder` writes a token of its own for each query: 2 N + Q tokens. Where query t asks for
the answer of example t and sees the examples before it, its token is that of x_t: it shows the same, stands at the same
position and sees the same. So the tokens of the context are enough, and answers are read off every other one.
"""

import jax
import jax.numpy as jnp

from lab.learners.decoder import Decoder
from lab.learners.learner import Layered, Trace
from tasks.episode import Prompt
from tasks.visible import triangle


class EveryPrefix(Layered):
    """`inner`, whose layout is interleaved, on prompts as `tasks.functions` makes them; equal to it there, with 2 N
    tokens. A query that is not the input of example t, or does not see the t examples before alone, is answered NaN."""

    honours_visible = True

    def __init__(self, inner: Decoder):
        self.inner = inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return self.trace(prompt).readouts

    def trace(self, prompt: Prompt) -> Trace:
        """The forward pass. Tokens: the instructions, then two per example."""
        none = jax.tree.map(lambda leaf: leaf[:0], prompt.query)
        visible = jnp.zeros((0, len(prompt.answers)), bool)
        x_TxD, seen, _ = self.inner.tokens(prompt.replace(query=none, visible=visible))
        layers = self.inner.forward(x_TxD, seen)
        inputs_LxQxD = layers["outputs"][:, self.inner.shape.instructions :: 2]
        readouts = jax.vmap(self.inner.answers, in_axes=(0, None))(inputs_LxQxD, _honours(prompt))
        return Trace(readouts, mask=seen.mask, **layers)


def _honours(prompt: Prompt) -> jax.Array:
    """(Q,), Q = N."""
    same_Q = jnp.all(prompt.query.x == prompt.context.x, axis=1)
    if prompt.visible is None:
        return jnp.zeros_like(same_Q)
    return same_Q & jnp.all(prompt.visible == triangle(len(same_Q)), axis=1)
