"""Answers of decoders to prompts of many targets and to sliding windows, and how they depend on past interactions.

Nothing here is compiled as a whole: decoders of hundreds of kinds run once each, and share compiled operations.
"""

import jax
import jax.numpy as jnp
import numpy as np

from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder


def random_streams(key: jax.Array, users: int, interactions: int, shape) -> Stream:
    """(U, M): features and labels drawn alike among all."""
    keys = jax.random.split(key)
    tokens_UxMxF = jax.random.randint(keys[0], (users, interactions, shape.num_features), 0, shape.vocabulary)
    return Stream(tokens_UxMxF, jax.random.randint(keys[1], (users, interactions), 0, 2), shape.num_targets)


def answers(decoder: StreamDecoder, streams: Stream) -> jax.Array:
    """(U, k, 2): logits."""
    return jax.vmap(decoder.logits)(streams)


def sliding(decoder: StreamDecoder, streams: Stream) -> jax.Array:
    """(U, k, 2): logits of the same targets, each from a prompt of its own."""
    users, interactions = streams.labels.shape
    length = interactions - streams.num_targets + 1
    rows_KxM = np.arange(streams.num_targets)[:, None] + np.arange(length)[None]
    tokens_WxMxF = streams.tokens[:, rows_KxM].reshape(-1, length, streams.tokens.shape[-1])
    windows = Stream(tokens_WxMxF, streams.labels[:, rows_KxM].reshape(-1, length), 1)
    return answers(decoder.packed(1), windows).reshape(users, streams.num_targets, 2)


def answers_and_norms(decoder: StreamDecoder, streams: Stream) -> tuple[jax.Array, np.ndarray]:
    """Answers, and norms by distance, (M,): of the gradient of the last target's logit of a click, minus that of none,
    with respect to the embeddings of the tokens of the interaction so many before it; root mean square over users."""
    shape = (streams.labels.shape[1], decoder.shape.num_features + 1, decoder.shape.width)

    def logit(shift_McD: jax.Array, stream: Stream) -> tuple[jax.Array, jax.Array]:
        logits_Kx2 = decoder.logits(stream, shift_McD)
        return logits_Kx2[-1, 1] - logits_Kx2[-1, 0], logits_Kx2

    by_user = jax.vmap(jax.grad(logit, has_aux=True), in_axes=(None, 0))
    gradient_UxMcD, logits_UxKx2 = by_user(jnp.zeros(shape), streams)
    norm_M = jnp.sqrt(jnp.mean(jnp.sum(gradient_UxMcD**2, axis=(2, 3)), axis=0))
    return logits_UxKx2, np.asarray(norm_M)[::-1]


def farthest(norm_M: np.ndarray) -> int:
    """The largest distance with a norm that is not exactly zero."""
    return int(np.flatnonzero(norm_M)[-1])


def leak(norm_M: np.ndarray, window: int) -> float:
    """The share of the norms, summed over distances, that lies beyond the window."""
    return float(norm_M[window + 1 :].sum() / norm_M.sum())


def norm_rows(place: dict, norm_M: np.ndarray) -> list[dict]:
    """One row per distance: the norm, and its share of the sum over distances."""
    return [
        place | {"distance": distance, "norm": float(norm), "share": float(norm / norm_M.sum())}
        for distance, norm in enumerate(norm_M)
    ]
