"""The shuffled-label control: a learner that is shown its context's targets in another order.

It shows what the learner knows without the help of the context. One that learns in context then does worse than the
mean; one that has the answers in its weights does as well as before.
"""

import dataclasses

import jax
import jax.numpy as jnp

from lab.learners.learner import Layered, Learner, readouts
from tasks.episode import Prompt


class Shuffled(Layered):
    """The learner `inner`, given each example of the context with the target of the one before it."""

    def __init__(self, inner: Learner):
        self.inner = inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, dataclasses.replace(prompt, answers=jnp.roll(prompt.answers, 1, axis=0)))
