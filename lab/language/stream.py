"""Streams of interactions as prompts that a language model reads, with several targets each [DTI].

`lab.layouts.stream` says what a prompt is, and its positions: an interaction's features are the words of its text, its
label is one word, and a target has a [SUM] between both, which is a word, too, and is seen by nobody else. A scheme of
`lab.learners.stream_schemes` says how far back tokens and [SUM]s see in each layer. Tokens that exist are moved
together, so that texts may differ in length, and the [SUM]s come last.

Shape suffixes: M interactions, c slots of each, k targets, T tokens and [SUM]s that are read.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from lab.language.model import LanguageModel, Seen
from lab.layouts.stream import Stream, positions
from lab.learners.stream_schemes import Scheme


@dataclasses.dataclass(frozen=True)
class Reading:
    """The way in which prompts are read.

    labels: the words of labels 0 and 1. summary: the word of a [SUM]. window: n, in interactions. length: the tokens
    that are read of a prompt without its [SUM]s, at least those that exist.
    """

    labels: tuple[int, int]
    summary: int
    scheme: Scheme
    window: int
    length: int


@struct.dataclass
class Reader:
    """A language model that answers prompts by `logits`, as `lab.learners.stream_decoder.StreamDecoder` does."""

    model: LanguageModel
    reading: Reading = struct.field(pytree_node=False)

    def logits(self, stream: Stream) -> jax.Array:
        """Return the logits (k, 2) of labels 0 and 1 for each target of a prompt."""
        return logits(self.model, stream, self.reading)


def logits(model: LanguageModel, stream: Stream, reading: Reading) -> jax.Array:
    """Return the logits (k, 2) of the words of labels 0 and 1 at the [SUM] of each target.

    The model has neither windows of its own nor biases of scores.
    """
    tokens_T, visibility = laid_out(stream, reading, model.arch.layers)
    last_TxD = model.forward(model.embed(tokens_T, visibility.positions), visibility, None, ())["last"]
    return model.unembed(last_TxD[-stream.num_targets :])[:, jnp.asarray(reading.labels)]


def laid_out(stream: Stream, reading: Reading, num_layers: int) -> tuple[jax.Array, Seen]:
    """Return the words of a prompt, (T,), and how they see one another."""
    places = positions(stream, reading.scheme.count_summaries)
    present_Mxc = stream.present
    interactions, slots = present_Mxc.shape
    targets = stream.num_targets
    label_M = jnp.asarray(reading.labels)[jnp.maximum(stream.labels, 0)]
    word_Mxc = jnp.concatenate([jnp.maximum(stream.tokens, 0), label_M[:, None]], axis=1)
    first = jnp.argsort(~present_Mxc.ravel(), stable=True)[: reading.length]  # those that exist, in their order

    def together(of_tokens_Mxc, of_summaries_k):
        return jnp.concatenate([jnp.asarray(of_tokens_Mxc).ravel()[first], jnp.asarray(of_summaries_k)])

    interaction_T = together(np.repeat(np.arange(interactions), slots), np.arange(interactions)[-targets:])
    order_T = together(np.tile(2 * np.arange(slots), interactions), np.full(targets, 2 * slots - 3))
    is_seen_T = together(present_Mxc, np.zeros(targets, bool))
    is_summary_T = jnp.arange(len(is_seen_T)) >= len(first)
    distance_TxT = interaction_T[:, None] - interaction_T[None]
    before_TxT = (distance_TxT > 0) | ((distance_TxT == 0) & (order_T[:, None] >= order_T[None]))

    def mask(limits: tuple[int | None, int | None]) -> jax.Array:
        tokens_see, summaries_see = (interactions if each is None else each for each in limits)
        limit_T = jnp.where(is_summary_T, summaries_see, tokens_see)
        sees_TxT = before_TxT & (distance_TxT <= limit_T[:, None]) & is_seen_T[None]
        return sees_TxT | jnp.eye(len(is_seen_T), dtype=bool)

    limits = [reading.scheme.reach.limits(reading.window, layer, num_layers) for layer in range(num_layers)]
    kinds = list(dict.fromkeys(limits))
    masks = jnp.stack([mask(each) for each in kinds])
    layers = jnp.asarray([kinds.index(each) for each in limits])
    tokens_T = together(word_Mxc, np.full(targets, reading.summary))
    return tokens_T, Seen(masks[0], together(places.tokens, places.summaries), None, masks, layers)
