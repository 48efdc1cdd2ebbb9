"""A learner that gives the same answer, such as the mean target, to every query in every context."""

import jax
import jax.numpy as jnp

from lab.learners.learner import Fixed, Learner
from tasks.episode import Prompt


class Constant(Learner):
    """Answers every query by `value` (A,)."""

    honours_visible = True

    def __init__(self, value: jax.Array):
        self.value = Fixed(jnp.asarray(value))

    def __call__(self, prompt: Prompt) -> jax.Array:
        value_A = self.value[...]
        return jnp.broadcast_to(value_A, (len(prompt.query.x), *value_A.shape))
