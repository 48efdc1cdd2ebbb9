"""Meta-training of one learner in one call, for notebooks and scripts that need no run with settings and files."""

import jax

from lab.learners.learner import Learner
from tasks.task import Task
from trainers import meta
from trainers.recipe import Recipe


@jax.jit
def train(learner: Learner, task: Task, recipe: Recipe, key: jax.Array) -> tuple[Learner, jax.Array]:
    """Train a learner's parameters on fresh episodes of a task.

    It is one compiled program: another learning rate, clip or number of the task compiles nothing again.

    Args:
        learner: any that has parameters (`nnx.Param`); it is not changed.
        recipe: the steps, the episodes per step, and the optimiser. Its `init_scale` is not used, as the learner has
            initial weights.
        key: step i draws its episodes from the key and i alone, as a run with that key does.

    Returns:
        The trained learner, and the loss of each step's batch before its update, (steps,). A loss that is not a finite
        number freezes the learner as it is; its losses are NaN from the next step on.
    """
    state = meta.begin(lambda *_: learner, recipe, key)
    state, losses = meta.train(state, task, recipe, key, recipe.steps)
    return state.learner, losses
