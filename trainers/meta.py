"""Meta-training: a pure function round one loop of JAX, for any learner that has parameters.

Step i draws fresh episodes from (seed, i) alone, so neither the length of a chunk nor an interruption changes the data.
Every number of a task and of a recipe is traced: another learning rate, alpha or sigma is not another program. All
functions here train one learner; `jax.vmap` of them trains a population.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx, struct

from lab.config.choices import Optimizer
from lab.learners.learner import Learner, predict
from tasks.episode import Episode
from tasks.task import Task
from trainers.batches import averaged
from trainers.recipe import Recipe, schedule
from trainers.streams import Stream

Count = int | np.int32 | jax.Array  # of steps; may be traced
LearnerOf = Callable[..., Learner]  # parameters -> the learner that has them
Gradient = Callable[..., Callable]  # gives the loss of a step and its gradient (see `take_steps`)
Make = Callable[[jax.Array, Any], Learner]  # (key, init_scale: an array or a float) -> an untrained learner


@struct.dataclass
class TrainState:
    """The state of one learner's training."""

    learner: Learner
    optimizer: optax.OptState
    step: jax.Array  # () steps so far
    alive: jax.Array  # () bool, false from the first loss on that is not finite: then the state is frozen


def optimizer(recipe: Recipe) -> optax.GradientTransformation:
    """Return the recipe's optimiser, which clips the gradient's global norm first.

    It must be built inside the function that uses it, as its rates may be traced.
    """
    shape = schedule(recipe.steps, recipe.warmup)
    method = OPTIMIZERS[recipe.optimizer](lambda count: recipe.learning_rate * shape(count))
    return optax.chain(optax.clip_by_global_norm(recipe.clip_norm), method)


def begin(make: Make, recipe: Recipe, key: jax.Array) -> TrainState:
    """Return the state before the first step. `key` is the run's key."""
    learner = make(jax.random.fold_in(key, Stream.parameters), recipe.init_scale)
    _, parameters, _ = nnx.split(learner, nnx.Param, ...)
    return TrainState(learner, optimizer(recipe).init(parameters), jnp.zeros((), jnp.int32), jnp.array(True))


def train(
    state: TrainState,
    task: Task,
    recipe: Recipe,
    key: jax.Array,
    steps: int,
) -> tuple[TrainState, jax.Array]:
    """Take `steps` more steps on fresh episodes of a task.

    Args:
        key: the run's key; step i draws its episodes from the key and i alone.

    Returns:
        As `take_steps`.
    """
    return take_steps(state, recipe, on_episodes(task, recipe, key), steps)


def on_episodes(
    task: Task, recipe: Recipe, key: jax.Array, shard_batch: Callable[[Episode], Episode] = lambda episodes: episodes
) -> Gradient:
    """Return the gradients that `take_steps` follows, on fresh episodes of a task. Arguments as in `train`, and
    `shard_batch`, which places a batch of episodes on devices.
    """
    key = jax.random.fold_in(key, Stream.training)

    def gradient(learner_of: LearnerOf, parameters, index: jax.Array, place: jax.Array):
        now = task.at(index)

        def loss_and_gradient(key: jax.Array, size: int):
            episodes = shard_batch(now.sample(key, size))
            return jax.value_and_grad(lambda parameters: mean_loss(learner_of(parameters), now, episodes))(parameters)

        return functools.partial(averaged, loss_and_gradient, task, jax.random.fold_in(key, index), recipe.batch_size)

    return gradient


def take_steps(
    state: TrainState, recipe: Recipe, gradient: Gradient, steps: int, count: Count | None = None
) -> tuple[TrainState, jax.Array]:
    """Take `steps` more steps, or `count` of them: the one loop that every training is.

    Args:
        gradient: (parameters -> learner, parameters, number of the step, its place among these steps) -> a call without
            arguments that gives the loss of the step's batch and its gradient in the parameters.
        count: at most `steps`; it may be traced, so that one program takes any number of steps. None: all.

    Returns:
        The new state, and the loss of each step's batch before its update, (steps,), NaN from `count` on. A loss that
        is not a finite number freezes the learner as it is; its losses are NaN from the next step on.
    """
    graph, parameters, fixed = nnx.split(state.learner, nnx.Param, ...)
    update = optimizer(recipe).update

    def learner_of(parameters) -> Learner:
        return nnx.merge(graph, parameters, fixed)

    def step(place, carried):
        carry, losses = carried
        carry, value = _moved(carry, update, *gradient(learner_of, carry[0], state.step + place, place)())
        return carry, losses.at[place].set(value)

    count = steps if count is None else count
    carry = (parameters, state.optimizer, state.alive)
    carry, losses = jax.lax.fori_loop(0, count, step, (carry, jnp.full(steps, jnp.nan)))
    parameters, optimizer_state, alive = carry
    return TrainState(learner_of(parameters), optimizer_state, state.step + count, alive), losses


def _moved(carry: tuple, update: Callable, value: jax.Array, gradient) -> tuple[tuple, jax.Array]:
    """Update a training by the gradient of one batch. After a loss that is not finite nothing changes any more.

    Args:
        carry: (parameters, the optimiser's state, whether all losses so far were finite).
        update: the optimiser's update function.
        value, gradient: the loss of the batch, and its gradient in the parameters.

    Returns:
        The new carry; and the loss, NaN where an earlier loss was not finite.
    """
    parameters, optimizer_state, alive = carry
    change, new_optimizer_state = update(gradient, optimizer_state, parameters)
    new = (optax.apply_updates(parameters, change), new_optimizer_state)
    finite = alive & jnp.isfinite(value)
    chosen = jax.tree.map(lambda a, b: jnp.where(finite, a, b), new, (parameters, optimizer_state))
    return (*chosen, finite), jnp.where(alive, value, jnp.nan)


def mean_loss(learner: Learner, task: Task, episodes: Episode) -> jax.Array:
    """Return the task's loss, averaged over the queries of a batch of episodes, ()."""
    return jnp.mean(jax.vmap(task.loss)(predict(learner, episodes.prompt), episodes.target))


def muon(learning_rate: optax.Schedule) -> optax.GradientTransformation:
    """Return Muon: a matrix moves along its momentum with all singular values set to one; other arrays move by Adam.

    It is for deep stacks. Near the optimum a few episodes have gradients thousands of times larger than the rest, along
    the directions in which the stack is about to diverge. Adam scales its steps by them entry by entry and hardly moves
    any more; Muon bounds every direction alike.
    """
    return optax.contrib.muon(learning_rate, muon_weight_dimension_numbers=_matrices)


def _matrices(parameters):
    """Return which axes of each array are a matrix's rows and columns: weights are ([heads,] rows, columns)."""

    def dimensions(p):
        return optax.contrib.MuonDimensionNumbers(p.ndim - 2, p.ndim - 1) if p.ndim >= 2 else None

    return jax.tree.map(dimensions, parameters)


OPTIMIZERS: dict[Optimizer, Callable[[optax.Schedule], optax.GradientTransformation]] = {
    Optimizer.adam: optax.adam,
    Optimizer.adamw: optax.adamw,
    Optimizer.muon: muon,
}
