"""The rate eta that makes gradient descent best on average, found on training episodes (design 2.4).

With squared error the loss of one step, which is affine in eta, is a parabola: the predictions and their slope at 0
give the minimiser. In all other cases: a grid, then grids between the best point's neighbours, then the vertex of a
parabola through the last best three, all in one jitted call. With squared error the first grid lies round the minimiser
for one step; with any other loss it covers all rates that are likely.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import struct

from lab.learners.learner import Learner, predict
from tasks.episode import Episode
from tasks.regression import Regression
from tasks.task import Task

CHUNK = 10_000  # episodes in memory at a time
GRID_EPISODES = 10_000  # a grid compares rates on the same episodes, so it needs fewer
COARSE, FINE, ROUNDS = 16, 8, 2
TINY = 1e-6  # the smallest rate that a grid lies round
LIKELY = (1e-3, 1e3)  # where the minimum of a loss without a parabola is looked for


@struct.dataclass
class Found:
    """The rate and, for a parabola, its standard error over the episodes (NaN where it is not known)."""

    eta: jax.Array
    stderr: jax.Array


def line_search(
    learner_of: Callable[[jax.Array], Learner], steps: int, task: Task, key: jax.Array, episodes: int
) -> Found:
    """`learner_of(eta)` must be affine in eta when steps is 1. Traceable: jit it, vmap it over tasks and keys."""
    squared_error = isinstance(task, Regression)
    if steps == 1 and squared_error:
        return _parabola(learner_of, task, key, episodes)
    episodes = min(episodes, GRID_EPISODES)
    if squared_error:
        # Where the context tells nothing it is on either side of zero.
        centre = jnp.maximum(jnp.abs(_parabola(learner_of, task, key, episodes).eta), TINY)
        low, high, points = centre / 10, centre * 10, COARSE
    else:
        (low, high), points = map(jnp.asarray, LIKELY), 3 * COARSE  # six decades, with the density of two
    return Found(_grid(learner_of, task, task.sample(key, episodes), low, high, points), jnp.full((), jnp.nan))


def _parabola(learner_of, task: Regression, key, episodes: int) -> Found:
    """argmin of E (p0 + eta slope - y)^2, p0 and the slope those of the predictions at eta = 0: squared error alone."""
    chunk = min(episodes, CHUNK)

    def moments(index):
        batch = task.sample(jax.random.fold_in(key, index), chunk)
        p0, slope = jax.jvp(lambda eta: predict(learner_of(eta), batch.prompt), (jnp.zeros(()),), (jnp.ones(()),))
        residual = batch.target - p0
        a, b = (jnp.sum(v, axis=(1, 2)) for v in (slope * residual, slope * slope))
        return jnp.stack([a.sum(), b.sum(), (a * a).sum(), (a * b).sum(), (b * b).sum()])

    chunks = -(-episodes // chunk)
    a, b, aa, ab, bb = jnp.sum(jax.lax.map(moments, jnp.arange(chunks)), axis=0)
    eta = a / b
    # delta method: the spread of a_i - eta b_i, whose mean is zero
    return Found(eta, jnp.sqrt(aa - 2 * eta * ab + eta**2 * bb) / b)


def _grid(learner_of, task: Task, batch: Episode, low, high, points: int) -> jax.Array:
    @jax.vmap
    def loss(log_eta):
        prediction = predict(learner_of(jnp.exp(log_eta)), batch.prompt)
        mean = jnp.mean(jax.vmap(task.loss)(prediction, batch.target))
        return jnp.where(jnp.isnan(mean), jnp.inf, mean)

    low, high = jnp.log(low), jnp.log(high)
    for _ in range(ROUNDS + 1):
        grid = jnp.linspace(low, high, points)
        values = loss(grid)
        best = jnp.clip(jnp.argmin(values), 1, points - 2)
        low, high = grid[best - 1], grid[best + 1]
        points = FINE
    left, middle, right = values[best - 1], values[best], values[best + 1]
    bend = left - 2 * middle + right
    shift = jnp.where(bend > 0, 0.5 * (left - right) / jnp.where(bend > 0, bend, 1.0), 0.0)
    return jnp.exp(grid[best] + jnp.clip(shift, -1, 1) * (grid[1] - grid[0]))
