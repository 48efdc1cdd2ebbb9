"""The Bayes-optimal answer as a learner, for tasks that know theirs."""

import jax
from flax import nnx

from lab.learners.learner import Learner
from tasks.episode import Prompt
from tasks.task import Task


class Optimal(Learner):
    """Answers by the task's `optimal`; a call raises NotImplementedError if the task has no known optimal answer."""

    honours_visible = True

    def __init__(self, task: Task):
        self.task = nnx.data(task)

    def __call__(self, prompt: Prompt) -> jax.Array:
        return self.task.optimal(prompt)
