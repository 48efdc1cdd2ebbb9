"""A decoder that reads interleaved tokens x_1 y_1 x_2 y_2 .. once and answers after every prefix [Garg22].

The decoder of `lab.learners.decoder` adds a token for each query, which makes 2 N + Q tokens. Where query t is the
input of example t and sees the examples before it, its token equals that of x_t: it shows the same input, has the same
position and sees the same tokens. So the tokens of the context are enough, and answers are read off every other one.
"""

import dataclasses

import jax
import jax.numpy as jnp

from lab.learners.decoder import Decoder
from lab.learners.decoder_block import Seen
from lab.learners.learner import Layered, Trace
from tasks.episode import Prompt, triangle


class EveryPrefix(Layered):
    """Gives the answers of `inner`, whose layout is interleaved, from 2 N tokens, on prompts as of `tasks.functions`.

    Query t is answered NaN unless it is the input of example t and sees exactly the examples before that one.
    """

    honours_visible = True

    def __init__(self, inner: Decoder):
        self.inner = inner

    def __call__(self, prompt: Prompt) -> jax.Array:
        x_QxD = self.inner.outputs(*self._tokens(prompt), self._inputs)
        return self.inner.answers(x_QxD, _is_prefix_query(prompt))

    def readouts(self, prompt: Prompt) -> jax.Array:
        return self.trace(prompt).readouts

    def trace(self, prompt: Prompt) -> Trace:
        """Return the forward pass over the instructions, then two tokens per example."""
        x_TxD, visibility = self._tokens(prompt)
        layers = self.inner.forward(x_TxD, visibility)
        inputs_LxQxD = layers["outputs"][:, self._inputs]
        readouts = jax.vmap(self.inner.answers, in_axes=(0, None))(inputs_LxQxD, _is_prefix_query(prompt))
        return Trace(readouts, mask=visibility.mask, **layers)

    @property
    def _inputs(self) -> slice:
        """The rows of the tokens that show inputs."""
        return slice(self.inner.shape.instructions, None, 2)

    def _tokens(self, prompt: Prompt) -> tuple[jax.Array, Seen]:
        """Return the tokens of the instructions and the context, and how they see one another."""
        no_query = jax.tree.map(lambda leaf: leaf[:0], prompt.query)
        visible = jnp.zeros((0, len(prompt.answers)), bool)
        return self.inner.tokens(dataclasses.replace(prompt, query=no_query, visible=visible))[:2]


def _is_prefix_query(prompt: Prompt) -> jax.Array:
    """Return (Q,) bool, Q = N: whether query t is the input of example t and sees exactly the examples before it."""
    same_Q = jnp.all(prompt.query.x == prompt.context.x, axis=1)
    if prompt.visible is None:
        return jnp.zeros_like(same_Q)
    return same_Q & jnp.all(prompt.visible == triangle(len(same_Q)), axis=1)
