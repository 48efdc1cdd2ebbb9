"""Zero-shot: a learner that is shown none of the prompt's examples. What it knows, it knows from training."""

import jax

from lab.learners.learner import Layered, Learner, Trace, readouts
from tasks.episode import Prompt


class ZeroShot(Layered):
    """`inner`, given the queries alone: a context of no examples."""

    honours_visible = True  # it shows none

    def __init__(self, inner: Learner):
        self.inner = inner

    def readouts(self, prompt: Prompt) -> jax.Array:
        return readouts(self.inner, without_examples(prompt))

    def trace(self, prompt: Prompt) -> Trace:
        return self.inner.trace(without_examples(prompt))


def without_examples(prompt: Prompt) -> Prompt:
    """The prompt with a context of length 0."""
    none = jax.tree.map(lambda leaf: leaf[:0], (prompt.context, prompt.answers))
    return prompt.replace(context=none[0], answers=none[1], visible=None)
