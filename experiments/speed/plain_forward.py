"""The baseline of the benchmark: a learner that is trained through its literal forward pass, without any short cut."""

import jax

from lab.learners.learner import Layered, Learner
from tasks.episode import Prompt


class PlainForward(Learner):
    """Answers by the trace of the learner that it is made of: the same function, whose weights it trains."""

    honours_visible = True  # `inner` refuses if it cannot

    def __init__(self, inner: Layered):
        self.inner = inner

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.inner.trace(prompt).readouts[-1]
