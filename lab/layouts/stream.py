"""Streams of interactions as prompts that hold several targets [DTI].

An interaction is c = F + 1 tokens: those of its features, and then its label. A prompt holds n + k interactions, of
which the last k are targets: with k = 1 it is a sliding window, with more it is a streaming prompt. Each target has a
token [SUM] after its features and before its label, from which the label is predicted. No other token sees a [SUM], so
tokens and [SUM]s are kept in separate arrays.

All interactions have slots for the same number of features. A feature or label of -1 means that there is no such token:
it has no position, and no other token sees it.

Shape suffixes besides those of `lab.layouts`: M interactions of a prompt, c tokens of each, k targets.
"""

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct

from tasks.episode import Prompt

NOTHING = -1  # instead of a token


@struct.dataclass
class Stream:
    """The tokens of one prompt, or of several with an axis in front."""

    tokens: jax.Array  # (M, F) of the features, or NOTHING
    labels: jax.Array  # (M,) 0, 1 or NOTHING
    num_targets: int = struct.field(pytree_node=False)  # k; the targets are the last interactions

    @property
    def present(self) -> jax.Array:
        """Return (M, c) bool: which tokens exist."""
        return jnp.concatenate([self.tokens, self.labels[:, None]], axis=1) != NOTHING


@struct.dataclass
class Positions:
    """The positions of all tokens and [SUM]s of a prompt."""

    tokens: jax.Array  # (M, c)
    summaries: jax.Array  # (k,)


def positions(stream: Stream, count_summaries: bool) -> Positions:
    """Return the positions of tokens and [SUM]s; tokens that exist are counted from 0.

    With `count_summaries` a [SUM] takes a position, which moves all tokens after it; otherwise its position is that of
    the label after it.
    """
    present_Mxc = stream.present
    interactions, slots = present_Mxc.shape
    is_target_M = np.arange(interactions) >= interactions - stream.num_targets
    extra_M = (is_target_M & count_summaries).astype(int)
    width_M = jnp.sum(present_Mxc, axis=1) + extra_M
    start_M = jnp.cumsum(width_M) - width_M
    within_Mxc = jnp.cumsum(present_Mxc, axis=1) - present_Mxc
    moved_Mxc = extra_M[:, None] * (np.arange(slots) == slots - 1)[None]
    tokens_Mxc = start_M[:, None] + within_Mxc + moved_Mxc
    features_M = jnp.sum(present_Mxc[:, :-1], axis=1)
    return Positions(tokens_Mxc, (start_M + features_M)[interactions - stream.num_targets :])


def cut(prompt: Prompt, num_context: int, num_targets: int) -> Stream:
    """Return a user's stream as prompts of n + k interactions, which together hold each target once.

    Args:
        prompt: its context is all interactions, its queries are the last of these. Features are tokens, answers are
            one-hot labels or, where there is no interaction, zeros.
        num_context: n, at most the number of interactions before the first query.
        num_targets: k. Where it does not divide the number of queries, the last prompt is filled up with NOTHING.

    Returns:
        The ceil(Q / k) prompts, with their axis in front.

    Raises:
        ValueError: the first query has fewer than n interactions before it.
    """
    interactions, queries = len(prompt.answers), len(prompt.query.x)
    start = interactions - queries - num_context
    if start < 0:
        before_first = interactions - queries
        raise ValueError(f"there must be {num_context} interactions before each target; the first has {before_first}")
    labels_N = jnp.where(jnp.any(prompt.answers != 0, axis=1), jnp.argmax(prompt.answers, axis=1), NOTHING)
    firsts = start + num_targets * np.arange(-(-queries // num_targets))
    rows_PxM = firsts[:, None] + np.arange(num_context + num_targets)[None]
    exists_PxM = rows_PxM < interactions
    rows_PxM = np.minimum(rows_PxM, interactions - 1)
    tokens_PxMxF = jnp.where(exists_PxM[..., None], prompt.context.x[rows_PxM], NOTHING)
    return Stream(tokens_PxMxF, jnp.where(exists_PxM, labels_N[rows_PxM], NOTHING), num_targets)
