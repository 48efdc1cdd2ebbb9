"""Answers of decoders to prompts of many targets and to sliding windows, and their dependence on past interactions.

Nothing here is compiled as a whole: hundreds of different decoders run once each, and share compiled operations.

Shapes: U users, M interactions, F features of an interaction, k targets, D token width, c = F + 1 tokens of an
interaction.
"""

import jax
import jax.numpy as jnp
import numpy as np

from experiments.clicks.dti_reach.results import DISTANCE, NORM, SHARE
from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder


def random_streams(key: jax.Array, users: int, interactions: int, shape) -> Stream:
    """Return streams (U, M) whose features and labels are drawn independently, all values equally likely.

    Args:
        shape: of the decoder (`lab.learners.stream_shape`).
    """
    keys = jax.random.split(key)
    tokens_UxMxF = jax.random.randint(keys[0], (users, interactions, shape.num_features), 0, shape.vocabulary)
    return Stream(tokens_UxMxF, jax.random.randint(keys[1], (users, interactions), 0, 2), shape.num_targets)


def answers(decoder: StreamDecoder, streams: Stream) -> jax.Array:
    """Return the logits (U, k, 2) of the targets of each stream."""
    return jax.vmap(decoder.logits)(streams)


def sliding(decoder: StreamDecoder, streams: Stream) -> jax.Array:
    """Return the logits (U, k, 2) of the same targets, each from a prompt of its own (its sliding window)."""
    users, interactions = streams.labels.shape
    length = interactions - streams.num_targets + 1
    rows_KxM = np.arange(streams.num_targets)[:, None] + np.arange(length)[None]
    tokens_WxMxF = streams.tokens[:, rows_KxM].reshape(-1, length, streams.tokens.shape[-1])
    windows = Stream(tokens_WxMxF, streams.labels[:, rows_KxM].reshape(-1, length), 1)
    return answers(decoder.packed(1), windows).reshape(users, streams.num_targets, 2)


def answers_and_norms(decoder: StreamDecoder, streams: Stream) -> tuple[jax.Array, np.ndarray]:
    """Return answers (U, k, 2), and the norms of gradients by distance (M,).

    Entry d of the norms is for the gradient of the last target's logit difference (click minus no click) with respect
    to the embeddings of the tokens of the interaction d places before it; it is the root mean square over users.
    """
    shape = (streams.labels.shape[1], decoder.shape.num_features + 1, decoder.shape.width)

    def logit(shift_McD: jax.Array, stream: Stream) -> tuple[jax.Array, jax.Array]:
        logits_Kx2 = decoder.logits(stream, shift_McD)
        return logits_Kx2[-1, 1] - logits_Kx2[-1, 0], logits_Kx2

    by_user = jax.vmap(jax.grad(logit, has_aux=True), in_axes=(None, 0))
    gradient_UxMcD, logits_UxKx2 = by_user(jnp.zeros(shape), streams)
    norm_M = jnp.sqrt(jnp.mean(jnp.sum(gradient_UxMcD**2, axis=(2, 3)), axis=0))
    return logits_UxKx2, np.asarray(norm_M)[::-1]


def farthest(norm_M: np.ndarray) -> int:
    """Return the largest distance with a norm that is not exactly zero."""
    return int(np.flatnonzero(norm_M)[-1])


def leak(norm_M: np.ndarray, window: int) -> float:
    """Return the share of the sum of norms that is at distances beyond the window."""
    return float(norm_M[window + 1 :].sum() / norm_M.sum())


def norm_rows(place: dict, norm_M: np.ndarray) -> list[dict]:
    """Return one row of reach.csv per distance.

    Args:
        place: further columns.
    """
    return [
        place | {DISTANCE: distance, NORM: float(norm), SHARE: float(norm / norm_M.sum())}
        for distance, norm in enumerate(norm_M)
    ]
