"""The one type of everything that answers a prompt: an in-context learner, episode -> prediction (Q, Y).

A learner is a Flax module used as a plain pytree: one episode in, called through `jax.*` transforms only. What a
trainer may change is an `nnx.Param`; what belongs to the learner but stays as it was given is a `Fixed`.
"""

import abc

import jax
from flax import nnx

from tasks.episode import Episode


class Fixed(nnx.Variable):
    """An array of a learner that no trainer changes."""


class Learner(nnx.Module, abc.ABC):
    @abc.abstractmethod
    def readouts(self, episode: Episode) -> jax.Array:
        """(L, Q, Y): the predictions for one episode's queries after each layer or step, or of the only one."""

    def __call__(self, episode: Episode) -> jax.Array:
        """(Q, Y): the last of the read-outs."""
        return self.readouts(episode)[-1]


def predict(learner: Learner, episodes: Episode) -> jax.Array:
    """(B, Q, Y): the learner's answer to each of a batch of episodes."""
    return jax.vmap(learner)(episodes)
