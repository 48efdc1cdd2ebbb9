"""A Markov chain whose transitions were counted beforehand gives the same answer after a symbol in every context."""

import jax

from lab.learners.learner import Fixed, Learner
from tasks.episode import Prompt


class Bigram(Learner):
    """Answers row i of `logits` (C, C) where the query shows symbol i."""

    honours_visible = True  # it looks at no example

    def __init__(self, logits: jax.Array):
        self.logits = Fixed(logits)

    def __call__(self, prompt: Prompt) -> jax.Array:
        return prompt.query.x @ self.logits[...]
