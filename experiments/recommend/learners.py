"""The recommenders that are compared: a row each. Two are counted, the others trained on the same sequences."""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from experiments.recommend.settings import Recommendation
from lab.config.choices import Position
from lab.layouts.merged import TokenLayout
from lab.layouts.merged_sequence import Merged
from lab.learners.bigram import Bigram
from lab.learners.constant import Constant
from lab.learners.decoder import Shape
from lab.learners.descent import GradientDescent
from lab.learners.gru import Gru
from lab.learners.item_context import ItemContext
from lab.learners.learner import Learner
from lab.learners.sequence import SequenceDecoder
from tasks.item_sequences import PADDING, Logged
from trainers.recipe import Recipe
from trainers.streams import Stream
from trainers.train import train


def shares(sequences: np.ndarray, count: int) -> np.ndarray:
    """How often each item was taken (C,), as shares, one added to each count."""
    counts = 1.0 + np.bincount(sequences[sequences != PADDING], minlength=count)
    return counts / counts.sum()


def transitions(sequences: np.ndarray, count: int, smoothing: float) -> np.ndarray:
    """Probabilities (C, C) of the next item after each: (n_ij + c p_j) / (n_i + c), with the shares p of all items."""
    before, after = sequences[:, :-1], sequences[:, 1:]
    is_pair = after != PADDING
    counts_CxC = np.zeros((count, count))
    np.add.at(counts_CxC, (before[is_pair], after[is_pair]), 1.0)
    smoothed = counts_CxC + smoothing * shares(sequences, count)[None]
    return smoothed / smoothed.sum(axis=1, keepdims=True)


@dataclasses.dataclass(frozen=True)
class Fit:
    """What a recommender is made of."""

    settings: Recommendation
    sequences: np.ndarray
    count: int  # C
    key: jax.Array

    @property
    def task(self) -> Logged:
        return Logged(jnp.asarray(self.sequences), self.count)

    @property
    def recipe(self) -> Recipe:
        return Recipe.of(self.settings.train, self.settings.model.num_layers)

    @property
    def parameters(self) -> jax.Array:
        """The key of initial parameters."""
        return jax.random.fold_in(self.key, Stream.parameters)

    def trained(self, learner: Learner) -> Learner:
        return train(learner, self.task, self.recipe, self.key)[0]


def popularity(fit: Fit) -> Learner:
    return Constant(jnp.log(jnp.asarray(shares(fit.sequences, fit.count), float)))


def markov(fit: Fit) -> Learner:
    return Bigram(jnp.log(jnp.asarray(transitions(fit.sequences, fit.count, fit.settings.smoothing), float)))


def low_rank(fit: Fit) -> Learner:
    """A Markov chain of trained vectors: what is left of `descent` without its step in context."""
    width = fit.settings.model.context_width
    return fit.trained(ItemContext(fit.count, width, Constant(jnp.zeros(width)), fit.parameters))


def descent(fit: Fit) -> Learner:
    """One step of gradient descent in context, from a trained model and on trained vectors, at a trained rate."""
    width = fit.settings.model.context_width
    step = GradientDescent(TokenLayout((("x", width + 1),), width), 1.0)
    return fit.trained(ItemContext(fit.count, width, step, fit.parameters))


def gru(fit: Fit) -> Learner:
    return fit.trained(Gru(fit.count, fit.settings.model.width, fit.parameters, fit.recipe.init_scale))


def sasrec(fit: Fit) -> Learner:
    """The lab's decoder with learned positions, as SASRec (Kang and McAuley 2018) is one."""
    layout = Merged(TokenLayout.of(fit.task))
    shape = Shape.of(fit.settings.model, layout, fit.task.num_context, instructions=0, positions=Position.learned)
    return fit.trained(SequenceDecoder(shape, fit.parameters, fit.recipe.init_scale))


LEARNERS: dict[str, Callable[[Fit], Learner]] = {
    "popularity": popularity,
    "markov": markov,
    "low_rank": low_rank,
    "descent": descent,
    "gru": gru,
    "sasrec": sasrec,
}
