"""Meta-training of one learner in one call, for notebooks and scripts that need no run with settings and files."""

from collections.abc import Callable

import jax
from flax import nnx

from lab.errors import UserError
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


def has_parameters(name: str, make: Callable[[jax.Array], Learner], task: Task) -> bool:
    """Return whether the learner that is made from a key can be trained. It is only traced, nothing is computed.

    Raises:
        UserError: its answer has not the shape that the task's loss needs.
    """

    def parameters_and_answer(key: jax.Array):
        learner = make(key)
        prompt = jax.tree.map(lambda leaf: leaf[0], task.sample(key, 1).prompt)
        return nnx.state(learner, nnx.Param), learner(prompt), prompt

    parameters, answer, prompt = jax.eval_shape(parameters_and_answer, jax.random.key(0))
    expected = (len(prompt.query.x), task.answer_dim)
    if answer.shape != expected:
        raise UserError(f"{name}: its answer to a prompt has the shape {answer.shape}, not (Q, A) = {expected}")
    return bool(jax.tree.leaves(parameters))
