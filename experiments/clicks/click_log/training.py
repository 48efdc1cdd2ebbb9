"""Training on prompts of a log that come from the host: pure functions of one member of a population.

A processor takes a batch in parts that its cache holds. On two EPYC cores that others used too, with n = 10, forward
passes of sliding windows took .11 ms a target for 350 interactions at a time, .15 for 1,000, .28 for 4,000; those of
prompts of 50 targets .033 ms a target for 1,000, and .073 for 4,000.

Shape suffixes: S steps, B prompts of a batch, M = n + k interactions of a prompt, k targets, F features.
"""

import functools
from collections.abc import Callable
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import struct

from lab.layouts.stream import NOTHING, Stream
from lab.learners.stream_decoder import StreamDecoder
from trainers import meta
from trainers.population import Member
from trainers.streams import Stream as Streams

PART = 600  # interactions, of a processor


@struct.dataclass
class Batch:
    """A batch of prompts, as `Prompts.batch` returns it: features (B, M, F), label (B, M), is_target
    (B, k); several with further axes in front."""

    features: jax.Array | np.ndarray
    label: jax.Array | np.ndarray
    is_target: jax.Array | np.ndarray


@struct.dataclass
class Hiding:
    """The numbers by which tokens of a training batch are read as their column's unknown one, so that it is trained.

    unknown: the probability of it. unknown_F: that token, for each feature.
    """

    unknown: jax.Array
    unknown_F: jax.Array


def train(
    state: meta.TrainState, batches: Batch, count: meta.Count, member: Member
) -> tuple[meta.TrainState, jax.Array]:
    """Take so many more steps.

    Args:
        batches: (S, B, ...), those of the next steps.
        count: how many of them are taken; traced, so that one program serves any number.
        member: whose `extra` is a `Hiding`.

    Returns:
        As `trainers.meta.take_steps`.
    """
    key = jax.random.fold_in(member.key, Streams.training)

    def gradient(learner_of: meta.LearnerOf, parameters, index: jax.Array, place: jax.Array):
        batch = jax.tree.map(lambda leaf: leaf[place], batches)
        features = hidden(batch.features, member.extra, jax.random.fold_in(key, index))

        def loss(parameters, batch: Batch):
            decoder = learner_of(parameters)
            assert isinstance(decoder, StreamDecoder)  # the session trains nothing else
            return sum_of_losses(decoder, batch)

        return functools.partial(_mean, loss, parameters, batch.replace(features=features))

    return meta.take_steps(state, member.recipe, gradient, len(batches.label), count)


def _mean(loss: Callable, parameters, batch: Batch):
    """Return the mean loss over the targets of a batch, and its gradient."""
    sums = in_parts(jax.value_and_grad(loss), parameters, batch)
    return jax.tree.map(lambda total: total / jnp.sum(batch.is_target), sums)


def hidden(features: jax.Array, hiding: Hiding, key: jax.Array) -> jax.Array:
    """Return features (B, M, F) of which some that are there have become their column's unknown token."""
    hides = jax.random.bernoulli(key, hiding.unknown, features.shape) & (features != NOTHING)
    return jnp.where(hides, jnp.broadcast_to(hiding.unknown_F, features.shape), features)


class Answers(Protocol):
    """An answerer of prompts: a decoder of click streams, or a language model that reads them."""

    def logits(self, stream: Stream) -> jax.Array:
        """Return the logits (k, 2) of a prompt's targets."""
        ...


def logits(decoder: Answers, batch: Batch) -> jax.Array:
    """Return the logits (B, k, 2), of which only those of targets mean anything."""
    tokens, labels = jnp.asarray(batch.features), jnp.asarray(batch.label)
    return jax.vmap(decoder.logits)(Stream(tokens, labels, batch.is_target.shape[-1]))


def click_logits(decoder: Answers, batch: Batch) -> jax.Array:
    """Return the logit (B, k) of a click on each target: label 1 against label 0."""
    both_BxKx2 = logits(decoder, batch)
    return both_BxKx2[..., 1] - both_BxKx2[..., 0]


def sum_of_losses(decoder: Answers, batch: Batch) -> jax.Array:
    """Cross-entropy (nats), summed over the targets of a batch."""
    label_Bxk = jnp.maximum(batch.label[:, -batch.is_target.shape[-1] :], 0)
    losses_Bxk = optax.softmax_cross_entropy_with_integer_labels(logits(decoder, batch), label_Bxk)
    return jnp.sum(losses_Bxk, where=batch.is_target)


def in_parts(function: Callable, parameters, batch: Batch):
    """function(parameters, batch), a loss summed over prompts and its gradient; of parts of the batch, added up."""
    count = parts_of(*batch.label.shape)
    if count == 1:
        return function(parameters, batch)

    def add(total, part: Batch):
        return jax.tree.map(jnp.add, total, function(parameters, part)), None

    parts = jax.tree.map(lambda leaf: leaf.reshape(count, -1, *leaf.shape[1:]), batch)
    nothing = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, parameters))
    return jax.lax.scan(add, nothing, parts)[0]


def parts_of(prompts: int, interactions: int) -> int:
    """Return into how many equal parts a batch is divided; an accelerator takes it as it is."""
    if jax.default_backend() != "cpu":
        return 1
    most = max(1, PART // interactions)
    return next(prompts // size for size in range(min(most, prompts), 0, -1) if prompts % size == 0)
