"""Streams of interactions as prompts that hold several targets [DTI].

An interaction is c = F + 1 tokens: those of its features, and its label behind them. A prompt holds n + k interactions,
of which the last k are targets: with k = 1 it is a sliding window, with more of them a streaming prompt. Each target
has a token [SUM] behind its features and before its label, from which the label is predicted. No other token sees a
[SUM], so tokens and [SUM]s are two streams.

Interactions have slots for the most features that one may have; a feature of -1 is none at all, and neither is a label
of -1. What is not there has no position and is seen by nobody.

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
    """One prompt, or several with an axis in front.

    tokens: (M, F) of the features, or NOTHING. labels: (M,) 0, 1 or NOTHING. num_targets: k, the last interactions.
    """

    tokens: jax.Array
    labels: jax.Array
    num_targets: int = struct.field(pytree_node=False)

    @property
    def present(self) -> jax.Array:
        """(M, c): which tokens there are."""
        return jnp.concatenate([self.tokens, self.labels[:, None]], axis=1) != NOTHING


@struct.dataclass
class Positions:
    """The position of every token, (M, c), and of every [SUM], (k,)."""

    tokens: jax.Array
    summaries: jax.Array


def positions(stream: Stream, count_summaries: bool) -> Positions:
    """Tokens that are there are counted from 0. A [SUM] that is counted too moves what comes behind it; otherwise its
    position is that of the label behind it."""
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
    """A user's stream as prompts of n + k interactions, that together hold each target once.

    Args:
        prompt: its context is all interactions, its queries are the last of these. Features are tokens, answers one-hot
            labels or, of an interaction that is not there, zeros.
        num_context: n, at most as many as there are before the first query.
        num_targets: k. Where it does not divide the number of queries, the last prompt has fewer, and nothing instead.

    Returns:
        ceil(Q / k) prompts, with their axis in front.

    Raises:
        ValueError: the first query has fewer than n interactions before it.
    """
    interactions, queries = len(prompt.answers), len(prompt.query.x)
    start = interactions - queries - num_context
    if start < 0:
        raise ValueError(f"{num_context} interactions before each target; the first has {interactions - queries}")
    labels_N = jnp.where(jnp.any(prompt.answers != 0, axis=1), jnp.argmax(prompt.answers, axis=1), NOTHING)
    firsts = start + num_targets * np.arange(-(-queries // num_targets))
    rows_PxM = firsts[:, None] + np.arange(num_context + num_targets)[None]
    is_there_PxM = rows_PxM < interactions  # JAX would repeat the last one
    rows_PxM = np.minimum(rows_PxM, interactions - 1)
    tokens_PxMxF = jnp.where(is_there_PxM[..., None], prompt.context.x[rows_PxM], NOTHING)
    return Stream(tokens_PxMxF, jnp.where(is_there_PxM, labels_N[rows_PxM], NOTHING), num_targets)
