"""Deep-Thinking: a decoder reads its context again and again, and each time moves its keys and values [DT].

K~_1, V~_1 come from a plain forward pass over the context. For t = 2 .. T the context is read again, with K~_{t-1},
V~_{t-1} in front, which all tokens see in full, and gives K_t, V_t. Then

    G_t = K_t - K~_{t-1},   M_t = G_t + beta M_{t-1},   K~_t = K~_{t-1} + eta M_t,

and V~ alike. A query sees K~_T, V~_T and itself, so T = 1 is plain in-context learning.

K_t of a layer depends only on K~ of the layers below. In the first layer G = 0; in the second K_t is the same for
every t >= 2, so that G_t is G_2 times a number, which `recurrence` computes.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx, struct

from lab.learners.decoder import Decoder, key_values
from lab.learners.decoder_block import KeyValues, Seen
from lab.learners.learner import Layered
from tasks.episode import Prompt


@struct.dataclass
class Thought:
    """The keys and values of the context after each of T iterations."""

    keys: jax.Array  # (T, L, G, S, A)
    values: jax.Array  # (T, L, G, S, A)
    norms: jax.Array  # (T, L) norm of G_t, of keys and values together; 0 for the first iteration


def step(
    history: KeyValues, momentum: KeyValues, read: KeyValues, eta: float | jax.Array, beta: float | jax.Array
) -> tuple[KeyValues, KeyValues, KeyValues]:
    """Return K~_t, M_t and G_t, of keys and values, from K~_{t-1}, M_{t-1} and what is read, K_t [DT eqs. 6-7]."""
    gap = jax.tree.map(jnp.subtract, read, history)
    momentum = jax.tree.map(lambda g, m: g + beta * m, gap, momentum)
    return jax.tree.map(lambda k, m: k + eta * m, history, momentum), momentum, gap


class DeepThinking(Layered):
    """The decoder `inner`, whose readouts are the answers after 1 .. T iterations.

    eta, beta: traced. offset: whether the positions of the context, read again, continue after those of the history.
    """

    honours_visible = True  # as `inner` does, where the hidden examples are the same for all queries

    def __init__(self, inner: Decoder, iterations: int, eta: float | jax.Array, beta: float | jax.Array, offset=False):
        self.inner, self.iterations, self.offset = inner, iterations, offset
        self.eta, self.beta = (nnx.data(jnp.asarray(each, float)) for each in (eta, beta))

    def readouts(self, prompt: Prompt) -> jax.Array:
        thought = self.think(prompt)
        return jax.vmap(lambda keys, values: self.inner.answer(prompt, (keys, values)))(thought.keys, thought.values)

    def think(self, prompt: Prompt) -> Thought:
        """Return the keys and values of the context after each iteration."""
        x_SxD, visibility, again = self._context(prompt)
        first = key_values(self.inner.forward(x_SxD, visibility))

        def read_again(carry: tuple[KeyValues, KeyValues], _):
            history, momentum = carry
            read = key_values(self.inner.forward(x_SxD, again, history))
            history, momentum, gap = step(history, momentum, read, self.eta, self.beta)
            squares_L = sum(jnp.sum(each**2, axis=(1, 2, 3)) for each in gap)
            return (history, momentum), (history, jnp.sqrt(squares_L))

        start = first, jax.tree.map(jnp.zeros_like, first)
        _, (later, norms) = jax.lax.scan(read_again, start, length=self.iterations - 1)
        keys, values = (jnp.concatenate([a[None], b]) for a, b in zip(first, later, strict=True))
        return Thought(keys, values, jnp.concatenate([jnp.zeros_like(norms, shape=(1, norms.shape[1])), norms]))

    def _context(self, prompt: Prompt) -> tuple[jax.Array, Seen, Seen]:
        """Return the context's tokens (S, D), and how they see one another at first and when read after the history."""
        x_TxD, visibility, honest_Q = self.inner.tokens(prompt)
        count = len(x_TxD) - len(honest_Q)
        first = visibility.among(slice(count))
        mask, positions, bias = first.mask, first.positions, first.bias
        later = positions + count if self.offset else positions
        to_history = self.inner.positions.bias(self.inner.shape.num_heads, later, positions)
        bias_again = None if bias is None or to_history is None else jnp.concatenate([to_history, bias], axis=-1)
        mask_again = jnp.concatenate([jnp.ones_like(mask), mask], axis=1)
        return x_TxD[:count], first, Seen(mask_again, later, bias_again)


def recurrence(iterations: int, eta: float, beta: float) -> np.ndarray:
    """Return the numbers a_t (T,) with G_t = a_t G_2 in the second layer; a_1 = 0 as there is no G_1.

    The keys that the second layer gives are a fixed target. With x the share of the way that K~ has gone towards it,
    each iteration takes a = 1 - x, m = a + beta m, x = x + eta m.
    """
    shares, way, momentum = [0.0], 0.0, 0.0
    for _ in range(iterations - 1):
        shares.append(1.0 - way)
        momentum = shares[-1] + beta * momentum
        way += eta * momentum
    return np.array(shares)
