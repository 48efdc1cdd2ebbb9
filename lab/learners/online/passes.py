"""Passes over the examples, one after the other, each with numbers of its own: every learner fits what those before it
left, y - W f, and the answers are added up. A stack of fast-weight layers is this learner (`construction`).

`OnlineLearner.passes` is the same with one set of gates for all passes.
"""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from flax import nnx

from lab.learners.learner import Layered, Learner
from tasks.episode import Prompt


class Passes(Layered):
    """Any learners, the first one on the targets, each later one on the residuals of those before it."""

    def __init__(self, learners: Sequence[Learner]):
        self.learners = nnx.List(learners)

    def readouts(self, prompt: Prompt) -> jax.Array:
        count, y_NxY, total_QxY, answers = len(prompt.answers), prompt.answers, 0.0, []
        everywhere = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), prompt.context, prompt.query)
        for learner in self.learners:
            fitted = learner(dataclasses.replace(prompt, answers=y_NxY, query=everywhere))
            y_NxY, total_QxY = y_NxY - fitted[:count], total_QxY + fitted[count:]
            answers.append(total_QxY)
        return jnp.stack(answers)
