"""The shuffled-label control: a learner that is shown its context's targets in another order.

What it knows without the context's help. One that learns in context does worse than the mean then; one that has learned
the answers in its weights does as well as before.
"""

import jax
import jax.numpy as jnp

from lab.learners.learner import Layered, Learner, readouts
from tasks.episode import Prompt


class Shuffled(Layered):
    """`inner`, given each example of the context with the target of the one before it."""

    def __init__(self, inner: Learner):
        self.inner = inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, prompt.replace(answers=jnp.roll(prompt.answers, 1, axis=0)))
