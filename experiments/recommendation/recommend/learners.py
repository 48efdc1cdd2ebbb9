"""The recommenders that are compared: one row each. Two are counted, the others trained on the same sequences."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from experiments.recommendation.recommend.settings import Recommendation
from lab.config.choices import Position
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder_shape import Shape
from lab.learners.descent import GradientDescent
from lab.learners.given import Bigram, Constant
from lab.learners.gru import Gru
from lab.learners.item_context import ItemContext
from lab.learners.learner import Learner
from lab.learners.sequence import SequenceDecoder
from tasks.item_sequences import PADDING, Logged
from trainers import meta


def shares(sequences: np.ndarray, count: int) -> np.ndarray:
    """Return how often each item was taken (C,), as shares, one added to each count."""
    counts = 1.0 + np.bincount(sequences[sequences != PADDING], minlength=count)
    return counts / counts.sum()


def transitions(sequences: np.ndarray, count: int, smoothing: float) -> np.ndarray:
    """Return the probabilities (C, C) of the next item after each.

    They are (n_ij + c p_j) / (n_i + c), with the shares p of all items.
    """
    item, next_item = sequences[:, :-1], sequences[:, 1:]
    is_pair = next_item != PADDING
    counts_CxC = np.zeros((count, count))
    np.add.at(counts_CxC, (item[is_pair], next_item[is_pair]), 1.0)
    smoothed = counts_CxC + smoothing * shares(sequences, count)[None]
    return smoothed / smoothed.sum(axis=1, keepdims=True)


Make = Callable[[Recommendation, Logged], meta.Make]


def popularity(settings: Recommendation, sequences: np.ndarray, count: int) -> Learner:
    """Return the recommender that ranks by how often each item was taken."""
    return Constant(jnp.log(jnp.asarray(shares(sequences, count), float)))


def markov(settings: Recommendation, sequences: np.ndarray, count: int) -> Learner:
    """Return a Markov chain of counted transitions."""
    return Bigram(jnp.log(jnp.asarray(transitions(sequences, count, settings.smoothing), float)))


def low_rank(settings: Recommendation, task: Logged) -> meta.Make:
    """Return what makes a Markov chain of trained vectors: `descent` without its step in context."""
    width = settings.model.context_width
    return lambda key, init_scale: ItemContext(task.num_symbols, width, Constant(jnp.zeros(width)), key)


def descent(settings: Recommendation, task: Logged) -> meta.Make:
    """Return what makes one step of gradient descent in context, from a trained model and on trained vectors, at a
    trained rate."""
    width = settings.model.context_width
    step = GradientDescent(TokenLayout((("x", width + 1),), width), 1.0)
    return lambda key, init_scale: ItemContext(task.num_symbols, width, step, key)


def gru(settings: Recommendation, task: Logged) -> meta.Make:
    """Return what makes a gated recurrent network."""
    return lambda key, init_scale: Gru(task.num_symbols, settings.model.width, key, init_scale)


def sasrec(settings: Recommendation, task: Logged) -> meta.Make:
    """Return what makes the lab's decoder with learned positions, as SASRec (Kang and McAuley 2018) is one."""
    layout = Merged(TokenLayout.of(task))
    shape = Shape.of(settings.model, layout, task.num_context, instructions=0, positions=Position.learned)
    return lambda key, init_scale: SequenceDecoder(shape, key, init_scale)


COUNTED: dict[str, Callable[[Recommendation, np.ndarray, int], Learner]] = {
    "popularity": popularity,
    "markov": markov,
}
TRAINED: dict[str, Make] = {
    "low_rank": low_rank,
    "descent": descent,
    "gru": gru,
    "sasrec": sasrec,
}
