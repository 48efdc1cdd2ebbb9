"""Continuations of a text that a language model writes, several of one text at a time.

Keys and values of the text are read once. Each continuation then has a copy of them with free slots behind, and every
step fills one slot: a token is read once, too.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from lab.errors import ConfigError
from lab.language.model import History, LanguageModel
from lab.language.scoring import Tokens, encode, exact
from lab.language.tokens import Tokenizer


def endings(tokenizer: Tokenizer, vocabulary: int) -> np.ndarray:
    """Return which of so many words end a line (V,): those with a line break, special ones, and those without text."""
    special = tokenizer.inner.get_added_tokens_decoder()
    is_known = (tokenizer.inner.id_to_token(word) is not None for word in range(vocabulary))
    texts = (tokenizer.decode([word]) if is_there else "" for word, is_there in enumerate(is_known))
    return np.array([not text or "\n" in text or word in special for word, text in enumerate(texts)])


def sample(
    model: LanguageModel,
    tokens: Tokens,
    ends_V: np.ndarray,
    key: jax.Array,
    count: int,
    most: int,
    temperature: float = 1.0,
) -> list[list[int]]:
    """Return `count` continuations of some tokens, each up to and without its first word that ends it.

    Args:
        ends_V: whether a word ends a continuation.
        most: tokens of a continuation.
        temperature: by which logits are divided; 0: always the word of the largest logit.

    Raises:
        ConfigError: there are no tokens, or more with the continuation than the model has positions.
    """
    if not len(tokens):
        raise ConfigError("there is no text to go on from")
    model.arch.needs(len(tokens) + most, "a text and its continuation")
    history = encode(model, tokens[:-1]) if len(tokens) > 1 else None
    words_BxN = np.asarray(
        _sampled(model, history, jnp.asarray(tokens[-1]), jnp.asarray(ends_V), key, temperature, count, most)
    )
    is_end_BxN = ends_V[words_BxN]
    lengths = np.where(is_end_BxN.any(axis=1), is_end_BxN.argmax(axis=1), most)
    return [words[:length].tolist() for words, length in zip(words_BxN, lengths, strict=True)]


@functools.partial(jax.jit, static_argnames=("count", "most"))
def _sampled(
    model: LanguageModel,
    history: History | None,
    word: jax.Array,
    ends_V: jax.Array,
    key: jax.Array,
    temperature: jax.Array | float,
    count: int,
    most: int,
) -> jax.Array:
    """Return words (B, N) behind a history and a word; behind an end they are 0, which nobody reads."""

    def step(past: History, word: jax.Array, key: jax.Array) -> tuple[History, jax.Array]:
        visibility = model.visibility(1, past)
        x_1xD = model.embed(word[None], visibility.positions)
        layers = model.forward(x_1xD, visibility, (past.keys, past.values), ("keys", "values"))
        logits_V = model.unembed(layers["last"])[0]
        random_word = jax.random.categorical(key, logits_V / jnp.where(temperature > 0, temperature, 1.0))
        keys, values = (
            jax.lax.dynamic_update_slice_in_dim(old, exact(layers[name]).astype(old.dtype), past.length, axis=2)
            for name, old in (("keys", past.keys), ("values", past.values))
        )
        chosen = jnp.where(temperature > 0, random_word, jnp.argmax(logits_V))
        return History(keys, values, past.length + 1), chosen.astype(jnp.int32)

    def going_on(state: tuple) -> jax.Array:
        place, _, _, is_done_B, _ = state
        return (place < most) & ~jnp.all(is_done_B)

    def one(state: tuple) -> tuple:
        place, pasts, word_B, is_done_B, words_BxN = state
        keys_B = jax.random.split(jax.random.fold_in(key, place), count)
        pasts, word_B = jax.vmap(step)(pasts, word_B, keys_B)
        words_BxN = words_BxN.at[:, place].set(jnp.where(is_done_B, 0, word_B))
        return place + 1, pasts, word_B, is_done_B | ends_V[word_B], words_BxN

    past = _with_slots(model, history, most)
    pasts, word_B = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *jnp.shape(leaf))), (past, word))
    is_done_B, words_BxN = jnp.zeros(count, bool), jnp.zeros((count, most), jnp.int32)
    return jax.lax.while_loop(going_on, one, (0, pasts, word_B.astype(jnp.int32), is_done_B, words_BxN))[-1]


def _with_slots(model: LanguageModel, history: History | None, most: int) -> History:
    """Return a history with so many free slots behind its last one."""
    if history is None:
        x_1xD = model.embed(jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
        layers = model.forward(x_1xD, model.visibility(1), None, ("keys", "values"))
        keys, values = (exact(layers[name])[:, :, :0] for name in ("keys", "values"))
        history = History(keys, values, jnp.asarray(0, jnp.int32))
    keys, values = (jnp.pad(each, ((0, 0), (0, 0), (0, most), (0, 0))) for each in (history.keys, history.values))
    return History(keys, values, history.length)
