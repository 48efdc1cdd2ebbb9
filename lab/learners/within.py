"""Any learner, shown the last examples before each query alone."""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Fixed, Learner
from tasks.episode import Prompt


class Within(Learner):
    """The answer of a learner that honours `Prompt.visible` to the last `window` examples that a query sees; the
    window is traced."""

    honours_visible = True

    def __init__(self, learner: Learner, window: int | jax.Array):
        self.learner, self.window = nnx.data(learner), Fixed(jnp.asarray(window))

    def __call__(self, prompt: Prompt) -> jax.Array:
        """
        Raises:
            ValueError: the prompt does not say which examples a query sees.
        """
        if prompt.visible is None:
            raise ValueError("Within: the prompt must say which examples each query sees")
        behind_QxN = jnp.cumsum(prompt.visible[:, ::-1], axis=1)[:, ::-1]  # itself included
        return self.learner(prompt.replace(visible=prompt.visible & (behind_QxN <= self.window[...])))
