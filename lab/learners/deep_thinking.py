"""Deep-Thinking: a decoder reads its context again and again, and moves its keys and values [DT].

K~_1, V~_1 are those of a plain forward pass over the context. For t = 2 .. T the context is read again, with K~_{t-1},
V~_{t-1} in front, all of it visible to all, and gives K_t, V_t. Then

    G_t = K_t - K~_{t-1},   M_t = G_t + beta M_{t-1},   K~_t = K~_{t-1} + eta M_t,

and V~ alike. A query sees K~_T, V~_T and itself, so T = 1 is plain in-context learning.

K_t of a layer depends on K~ of the layers below alone. In the first layer G = 0; in the second K_t is the same for
every t >= 2, so that G_t is G_2 times a number, `recurrence`.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx, struct

from lab.learners.decoder import Decoder, KeyValues, Seen
from lab.learners.learner import Layered
from tasks.episode import Prompt


@struct.dataclass
class Thought:
    """After each iteration, T of them: keys and values (T, L, G, S, A) of the context, and the norms (T, L) of G_t, of
    keys and values together; 0 for the first."""

    keys: jax.Array
    values: jax.Array
    norms: jax.Array


class DeepThinking(Layered):
    """`inner`, whose readouts are the answers after 1 .. T iterations. eta, beta: traced."""

    honours_visible = True  # as `inner` does, where the hidden examples are the same for all queries

    def __init__(self, inner: Decoder, iterations: int, eta: float | jax.Array, beta: float | jax.Array, offset=False):
        self.inner, self.iterations, self.offset = inner, iterations, offset
        self.eta, self.beta = (nnx.data(jnp.asarray(each, float)) for each in (eta, beta))

    def readouts(self, prompt: Prompt) -> jax.Array:
        thought = self.think(prompt)
        return jax.vmap(lambda keys, values: self.answer(prompt, (keys, values)))(thought.keys, thought.values)

    def think(self, prompt: Prompt) -> Thought:
        """Keys and values of the context after each iteration."""
        x_SxD, seen, again = self._context(prompt)
        first = _key_values(self.inner.forward(x_SxD, seen))

        def read_again(carry: tuple[KeyValues, KeyValues], _):
            kept, momentum = carry
            read = _key_values(self.inner.forward(x_SxD, again, kept))
            gap = jax.tree.map(jnp.subtract, read, kept)
            momentum = jax.tree.map(lambda g, m: g + self.beta * m, gap, momentum)
            kept = jax.tree.map(lambda k, m: k + self.eta * m, kept, momentum)
            squares_L = sum(jnp.sum(each**2, axis=(1, 2, 3)) for each in gap)
            return (kept, momentum), (kept, jnp.sqrt(squares_L))

        start = first, jax.tree.map(jnp.zeros_like, first)
        _, (later, norms) = jax.lax.scan(read_again, start, length=self.iterations - 1)
        keys, values = (jnp.concatenate([a[None], b]) for a, b in zip(first, later, strict=True))
        return Thought(keys, values, jnp.concatenate([jnp.zeros_like(norms, shape=(1, norms.shape[1])), norms]))

    def answer(self, prompt: Prompt, context: KeyValues) -> jax.Array:
        """The answer (Q, A) to queries that see these keys and values (L, G, S, A) of the context, and themselves."""
        x_TxD, seen, honest_Q = self.inner.tokens(prompt)
        queries = len(honest_Q)
        bias = None if seen.bias is None else seen.bias[:, -queries:]
        of_queries = Seen(seen.mask[-queries:], seen.positions[-queries:], bias)
        layers = self.inner.forward(x_TxD[-queries:], of_queries, context)
        return self.inner.answers(layers["outputs"][-1], honest_Q)

    def _context(self, prompt: Prompt) -> tuple[jax.Array, Seen, Seen]:
        """The context's tokens (S, D), who sees whom at first, and when they are read again behind the history."""
        x_TxD, seen, honest_Q = self.inner.tokens(prompt)
        count = len(x_TxD) - len(honest_Q)
        mask, positions = seen.mask[:count, :count], seen.positions[:count]
        bias = None if seen.bias is None else seen.bias[:, :count, :count]
        later = positions + count if self.offset else positions
        to_history = self.inner.positions.bias(self.inner.shape.num_heads, later, positions)
        bias_again = None if bias is None else jnp.concatenate([to_history, bias], axis=-1)
        mask_again = jnp.concatenate([jnp.ones_like(mask), mask], axis=1)
        return x_TxD[:count], Seen(mask, positions, bias), Seen(mask_again, later, bias_again)


def _key_values(layers: dict[str, jax.Array]) -> KeyValues:
    return layers["keys"], layers["values"]


def recurrence(iterations: int, eta: float, beta: float) -> np.ndarray:
    """a_t (T,) of G_t = a_t G_2 in the second layer; a_1 = 0 as there is no G_1.

    The second layer's keys are a fixed target, and x is the share of the way that they have gone: a = 1 - x,
    m = a + beta m, x = x + eta m.
    """
    shares, way, momentum = [0.0], 0.0, 0.0
    for _ in range(iterations - 1):
        shares.append(1.0 - way)
        momentum = shares[-1] + beta * momentum
        way += eta * momentum
    return np.array(shares)
