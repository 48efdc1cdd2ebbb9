"""Deep-Thinking of a language model [DT]: demonstrations are read again behind the keys and values that they have.

The update is `step` of `experiments.demonstrations.deep_thinking.learner`. K~, V~ and M are float32, also for weights
in bfloat16, whose 8 bits would lose small steps. Queries stand behind the demonstrations, at L, L + 1, ..., in every
iteration.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
from flax import struct

from experiments.demonstrations.deep_thinking.learner import step
from lab.language.model import History, LanguageModel
from lab.language.scoring import Tokens, exact, padded, read
from lab.learners.decoder_block import KeyValues


@struct.dataclass
class Thought:
    """The keys and values that queries see after an iteration, and norms (L,) of G_t of both; 0 for the first one."""

    history: History
    key_norms: jax.Array
    value_norms: jax.Array


def think(
    model: LanguageModel,
    tokens: Tokens,
    iterations: int,
    eta: float | jax.Array,
    beta: float | jax.Array,
    offset: bool = True,
) -> Iterator[Thought]:
    """Yield the keys and values of demonstrations after 1 .. T iterations; the first is plain in-context learning.

    Args:
        tokens: the demonstrations.
        iterations: T.
        offset: whether their positions, read again, go on at L, as in the source's program, or are 0 .. L - 1 again.

    Raises:
        ConfigError: the model has fewer positions than the demonstrations need, twice their number with `offset`.
    """
    count = len(tokens)
    model.arch.needs(
        count * (2 if offset and iterations > 1 else 1),
        "the demonstrations, read again" if offset else "the demonstrations",
    )
    tokens_S = padded([tokens])[0]
    history = read(model, tokens_S, count)
    momentum = jax.tree.map(jnp.zeros_like, (history.keys, history.values))
    still = jnp.zeros(len(history.keys), history.keys.dtype)
    yield Thought(history, still, still)
    for _ in range(iterations - 1):
        history, momentum, (key_norms, value_norms) = _read_again(model, tokens_S, history, momentum, eta, beta, offset)
        yield Thought(history, key_norms, value_norms)


@jax.jit
def _read_again(
    model: LanguageModel,
    tokens_S: jax.Array,
    history: History,
    momentum: KeyValues,
    eta: jax.Array,
    beta: jax.Array,
    offset: jax.Array,
) -> tuple[History, KeyValues, tuple[jax.Array, jax.Array]]:
    """Return K~, M and the norms of G of keys and values, (L,) each, after one more reading."""
    past = history.keys, history.values
    visibility = model.visibility(len(tokens_S), history, start=jnp.where(offset, history.length, 0))
    layers = model.forward(model.embed(tokens_S, visibility.positions), visibility, past, ("keys", "values"))
    again = exact(layers["keys"]), exact(layers["values"])
    past, momentum, gap = step(past, momentum, again, eta, beta)
    real_S = jnp.arange(len(tokens_S)) < history.length  # those behind are padding
    norms = tuple(jnp.sqrt(jnp.sum(jnp.where(real_S[None, None, :, None], g, 0) ** 2, axis=(1, 2, 3))) for g in gap)
    return History(*past, history.length), momentum, (norms[0], norms[1])
