"""The baseline of the speed benchmark: a learner that is trained through its full forward pass, layer by layer."""

import jax

from lab.learners.learner import Layered, Learner
from tasks.episode import Prompt


class PlainForward(Learner):
    """The learner `inner`, whose answers are computed by its method `trace`. It is the same function of its weights."""

    honours_visible = True  # `inner` refuses if it cannot hide examples

    def __init__(self, inner: Learner):
        assert isinstance(inner, Layered)  # as all Transformers are
        self.inner = inner

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.inner.trace(prompt).readouts[-1]
