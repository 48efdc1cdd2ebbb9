"""The loss of a decoder of click streams on random streams, its gradient, and a training step, which several kinds
time."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx

from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder
from trainers import meta
from trainers.recipe import Recipe

VOCABULARY = 8  # values of a feature; no cost depends on it


def streams_of(key: jax.Array, prompts: int, window: int, longest: int, num_features: int, targets: int) -> Stream:
    """Return random streams with the same targets for any number of targets per stream.

    They are P prompts of n + k interactions, cut into streams of n + `targets` interactions: with targets = k the
    prompts themselves, with targets = 1 P k sliding windows.

    Args:
        key: draws tokens and labels.
        prompts: P.
        window: n, the interactions before a target.
        longest: k, the targets of a prompt.
        num_features: of an interaction.
        targets: of a stream; it divides k.
    """
    length = window + longest
    keys = jax.random.split(key)
    tokens_PxMxF = jax.random.randint(keys[0], (prompts, length, num_features), 0, VOCABULARY)
    labels_PxM = jax.random.randint(keys[1], (prompts, length), 0, 2)
    rows_WxM = jnp.arange(0, longest, targets)[:, None] + jnp.arange(window + targets)[None]
    tokens_RxMxF = tokens_PxMxF[:, rows_WxM].reshape(-1, window + targets, num_features)
    return Stream(tokens_RxMxF, labels_PxM[:, rows_WxM].reshape(-1, window + targets), targets)


def loss(decoder: StreamDecoder, streams: Stream) -> jax.Array:
    """Return the mean cross-entropy of the targets."""
    logits_PxKx2 = jax.vmap(decoder.logits)(streams)
    labels_PxK = streams.labels[:, -streams.num_targets :]
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits_PxKx2), labels_PxK[..., None], axis=-1))


def loss_and_gradient(decoder: StreamDecoder, streams: Stream) -> tuple[jax.Array, nnx.State]:
    """Return the loss and its gradient with respect to the trained weights."""
    graph, trained, rest = nnx.split(decoder, nnx.Param, ...)
    return jax.value_and_grad(lambda trained: loss(nnx.merge(graph, trained, rest), streams))(trained)


def training_step(recipe: Recipe, gradient_of: Callable = loss_and_gradient) -> Callable:
    """Return a whole training step, (state, streams) -> (state, loss (1,)), the same that every training takes.

    Args:
        gradient_of: as `loss_and_gradient`.
    """

    def step(state: meta.TrainState, streams: Stream) -> tuple[meta.TrainState, jax.Array]:
        def gradient(decoder_of, trained, *_):
            return functools.partial(gradient_of, decoder_of(trained), streams)

        return meta.take_steps(state, recipe, gradient, 1)

    return step
