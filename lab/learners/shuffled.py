"""A learner that is shown its context's targets in another order: what it knows without the context's help.

One that learns in context does worse than the mean then; one that has learned the answers in its weights does not mind.
"""

import jax
import jax.numpy as jnp

from lab.learners.learner import Learner
from tasks.episode import Episode


class Mismatched(Learner):
    """`inner`, given each example of the context with the target of the one before it."""

    def __init__(self, inner: Learner):
        self.inner = inner

    def readouts(self, episode: Episode) -> jax.Array:
        return self.inner.readouts(episode.replace(context_y=jnp.roll(episode.context_y, 1, axis=0)))
