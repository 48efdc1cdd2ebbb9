"""Any learner, shown only the last examples before each query."""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Fixed, Learner
from tasks.episode import Prompt


class Within(Learner):
    """Gives the answers of `learner`, which honours `Prompt.visible`, to the last `window` examples that a query sees.

    window: traced.
    """

    honours_visible = True

    def __init__(self, learner: Learner, window: int | jax.Array):
        self.learner, self.window = nnx.data(learner), Fixed(jnp.asarray(window))

    def __call__(self, prompt: Prompt) -> jax.Array:
        """Return the answer to each query, (Q, A).

        Raises:
            ValueError: the prompt does not say which examples a query sees.
        """
        if prompt.visible is None:
            raise ValueError("Within: the prompt must say which examples each query sees")
        # The number of visible examples from each one to the last, both included.
        remaining_QxN = jnp.cumsum(prompt.visible[:, ::-1], axis=1)[:, ::-1]
        visible_QxN = prompt.visible & (remaining_QxN <= self.window[...])
        return self.learner(dataclasses.replace(prompt, visible=visible_QxN))
