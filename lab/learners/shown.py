"""Any learner, shown another context than the prompt's: none of its examples, the last ones, or other targets."""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Fixed, Layered, Learner, Trace, readouts, traced
from tasks.episode import Prompt


class ZeroShot(Layered):
    """The learner `inner`, given a context of no examples: all that it knows is from training."""

    honours_visible = True  # it shows none

    def __init__(self, inner: Learner):
        self.inner = inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, without_examples(prompt))

    def trace(self, prompt: Prompt) -> Trace:
        return traced(self.inner, without_examples(prompt))


def without_examples(prompt: Prompt) -> Prompt:
    """Return the prompt with a context of length 0."""
    context, answers = jax.tree.map(lambda leaf: leaf[:0], (prompt.context, prompt.answers))
    return dataclasses.replace(prompt, context=context, answers=answers, visible=None)


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


class Shuffled(Layered):
    """The shuffled-label control: the learner `inner`, given each example with the target of the one before it.

    It shows what the learner knows without the help of the context. One that learns in context then does worse than the
    mean; one that has the answers in its weights does as well as before.
    """

    def __init__(self, inner: Learner):
        self.inner = inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, dataclasses.replace(prompt, answers=jnp.roll(prompt.answers, 1, axis=0)))
