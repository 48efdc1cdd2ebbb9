"""Zero-shot: a learner that is shown none of the prompt's examples, so that all it knows is from training."""

import dataclasses

import jax

from lab.learners.learner import Layered, Learner, Trace, readouts, traced
from tasks.episode import Prompt


class ZeroShot(Layered):
    """The learner `inner`, given a context of no examples."""

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
