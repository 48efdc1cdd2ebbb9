"""Search for the rate eta with which gradient descent has the lowest mean loss on training episodes.

With squared error the loss of one step, which is affine in eta, is a parabola: the predictions and their slope at 0
give the minimiser. In all other cases: a grid, then grids between the best point's neighbours, then the vertex of a
parabola through the best three points of the last grid, all in one jitted call. With squared error the first grid lies
round the minimiser for one step; with any other loss it covers all likely rates. The first grids only bracket the
minimum and use one chunk of the episodes; the last grid, and the error of the rate, use them all.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import struct

from lab.learners.learner import Learner, predict
from tasks.regression import has_squared_error
from tasks.task import Task

CHUNK = 10_000  # episodes in memory at a time
COARSE, FINE, ROUNDS = 16, 8, 2  # points of the first grid, of the other grids; number of grids before the last one
TINY = 1e-6  # the smallest centre of a grid
LIKELY = (1e-3, 1e3)  # the range of the first grid for a loss without a parabola


@struct.dataclass
class Found:
    """The best rate and its standard error over the episodes (NaN where the best rate is at the edge of the grid)."""

    eta: jax.Array
    stderr: jax.Array


def line_search(
    learner_of: Callable[[jax.Array], Learner], steps: int, task: Task, key: jax.Array, episodes: int
) -> Found:
    """Find the best rate of a learner on `episodes` episodes of a task. Traceable: jit it, vmap it over tasks and keys.

    Args:
        learner_of: eta -> the learner with that rate. Its predictions must be affine in eta when `steps` is 1.
        steps: the learner's steps of gradient descent.
    """
    squared_error = has_squared_error(task)
    if steps == 1 and squared_error:
        return _parabola(learner_of, task, key, episodes)
    if squared_error:
        # Where the context carries no information, this minimiser may be on either side of zero.
        centre = jnp.maximum(jnp.abs(_parabola(learner_of, task, key, min(episodes, CHUNK)).eta), TINY)
        low, high, points = centre / 10, centre * 10, COARSE
    else:
        (low, high), points = map(jnp.asarray, LIKELY), 3 * COARSE  # six decades, with the density of two
    return _grid(learner_of, task, key, episodes, low, high, points)


def _parabola(learner_of, task: Task, key, episodes: int) -> Found:
    """Minimise the squared error E (p0 + eta slope - y)^2, p0 the prediction and slope its derivative at eta = 0."""
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


def _grid(learner_of, task: Task, key, episodes: int, low, high, points: int) -> Found:
    """Search the rate between `low` and `high` with grids that are even in log eta, the first with `points` points."""
    chunk = min(episodes, CHUNK)

    def losses(log_eta_R, index) -> jax.Array:
        """Return the loss of each rate and episode of one chunk, (R, B)."""
        batch = task.sample(jax.random.fold_in(key, index), chunk)

        @jax.vmap
        def loss(log_eta):
            by_query = jax.vmap(task.loss)(predict(learner_of(jnp.exp(log_eta)), batch.prompt), batch.target)
            return jnp.mean(by_query.reshape(chunk, -1), axis=1)

        return loss(log_eta_R)

    low, high = jnp.log(low), jnp.log(high)
    for _ in range(ROUNDS):
        grid = jnp.linspace(low, high, points)
        best = _lowest(jnp.mean(losses(grid, 0), axis=1))
        low, high = grid[best - 1], grid[best + 1]
        points = FINE
    grid = jnp.linspace(low, high, points)

    def moments(index):
        losses_RxB = losses(grid, index)
        left, middle, right = losses_RxB[:-2], losses_RxB[1:-1], losses_RxB[2:]
        a, b = 0.5 * (left - right), left - 2 * middle + right  # a / b: how far the vertex is from the middle, in cells
        return jnp.sum(losses_RxB, axis=1), jnp.stack([a, b, a * a, a * b, b * b]).sum(axis=-1)

    sums = jax.lax.map(moments, jnp.arange(-(-episodes // chunk)))
    total_R, (a, b, aa, ab, bb) = jax.tree.map(lambda each: jnp.sum(each, axis=0), sums)
    best = _lowest(total_R)
    a, b, aa, ab, bb = (each[best - 1] for each in (a, b, aa, ab, bb))
    cell, curved = grid[1] - grid[0], (b > 0) & jnp.isfinite(b)  # a neighbour's loss may be infinite
    shift = jnp.where(curved, a / jnp.where(curved, b, 1.0), 0.0)
    # delta method, as for the parabola; the grid is in log eta, so eta is the exponential of the vertex
    error = jnp.sqrt(aa - 2 * shift * ab + shift**2 * bb) / jnp.where(curved, b, jnp.nan)
    eta = jnp.exp(grid[best] + jnp.clip(shift, -1, 1) * cell)
    return Found(eta, jnp.where(jnp.abs(shift) <= 1, eta * cell * error, jnp.nan))


def _lowest(means_R: jax.Array) -> jax.Array:
    """Return the index of the lowest mean loss among rates with neighbours on both sides; NaN is never the lowest."""
    return jnp.clip(jnp.argmin(jnp.where(jnp.isnan(means_R), jnp.inf, means_R)), 1, len(means_R) - 2)
