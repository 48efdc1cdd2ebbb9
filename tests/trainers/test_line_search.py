"""The rate of gradient descent."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.theory import has_oracle, one_step
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tasks.catalogue import SYNTHETIC, TASKS
from tasks.shift import Shift, Shifted
from tasks.task import Task
from tests.compiled import sampled
from trainers.line_search import line_search
from trainers.meta import mean_loss


class AbsoluteError(Task):
    """The plain task with a loss whose mean is no parabola in the rate."""

    features = (("x", 10),)
    answer_dim = 1

    def __init__(self, task):
        self.task = task

    def sample(self, key, batch):
        return self.task.sample(key, batch)

    def loss(self, answer_QxA, target):
        return jnp.sum(jnp.abs(answer_QxA - target), axis=-1)


IN_CLOSED_FORM = [name for name in sorted(SYNTHETIC) if has_oracle(TASKS[name]())]


def test_a_context_that_tells_nothing_has_a_rate_all_the_same():
    """Targets without a teacher: the parabola's minimum is on either side of zero, and the grid needs a positive."""
    keys = jnp.stack([jax.random.key(seed) for seed in range(4)])
    for teacher in (0.0, 1e-3):
        task = Shifted(SYNTHETIC["plain"](), Shift.of(SYNTHETIC["plain"](), teacher=teacher, noise=1.0))
        one, two = (jax.jit(jax.vmap(partial(search, task, steps, 200)))(keys).eta.min() for steps in (1, 2))
        assert one <= 0 < two


def search(task, steps, episodes, key):
    layout = TokenLayout.of(task)
    return jax.jit(lambda: line_search(lambda eta: GradientDescent(layout, eta, steps), steps, task, key, episodes))()


@pytest.mark.parametrize("name", IN_CLOSED_FORM)
def test_one_step_lands_on_the_oracle(name):
    """Within 1%, 4 standard errors at 300,000 episodes (0.25% each or less), and within 4.5 of its own error."""
    task = TASKS[name]()
    result, oracle = search(task, 1, 300_000, jax.random.key(1)), one_step(task).eta
    assert abs(result.eta / oracle - 1) < 0.01
    assert abs(result.eta - oracle) < 4.5 * result.stderr
    assert result.stderr / oracle < 0.0025


@pytest.mark.parametrize("steps", [1, 2])
def test_the_standard_error_is_the_spread_of_searches(steps):
    """Of 100 searches, their standard deviation is known to 1 / sqrt(200) = 7%; 4 of those are allowed."""
    task = TASKS["plain"]()
    layout = TokenLayout.of(task)

    def search(key):
        return line_search(lambda eta: GradientDescent(layout, eta, steps), steps, task, key, 1000)

    result = jax.jit(jax.vmap(search))(jax.random.split(jax.random.key(2), 100))
    assert abs(np.std(result.eta, ddof=1) / np.mean(result.stderr) - 1) < 0.28


def test_several_steps_use_all_episodes_that_are_asked_for():
    """Nine times the episodes, beyond one chunk of 10,000: a third of the error, which itself is known to some 5%."""
    task = TASKS["plain"](num_context=40)  # short contexts make losses heavy-tailed, and the error hard to know
    few, many = (search(task, 2, episodes, jax.random.key(4)) for episodes in (10_000, 90_000))
    assert 0.28 < many.stderr / few.stderr < 0.39
    assert abs(many.eta - few.eta) < 4 * few.stderr


@pytest.mark.parametrize(("task", "steps", "episodes"), [
    (TASKS["plain"](), 2, 1000), (TASKS["plain"](), 5, 1000),
    (AbsoluteError(TASKS["plain"](scale=0.1)), 1, 500), (AbsoluteError(TASKS["plain"]()), 2, 500),
])  # fmt: skip
def test_the_grid_finds_the_minimum(task, steps, episodes):
    """On the episodes searched, no rate of a fine grid over two decades is better by more than 1e-4 of the loss. Also
    of another loss, which has another best rate; at scale 0.1 the rate is about 100 times as large."""
    key, layout = jax.random.key(3), TokenLayout.of(task)
    result = search(task, steps, episodes, key).eta
    searched = sampled(task, jax.random.fold_in(key, 0), episodes)
    loss = jax.jit(jax.vmap(lambda eta: mean_loss(GradientDescent(layout, eta, steps), task, searched)))
    grid = loss(result * jnp.logspace(-1, 1, 301))
    best = jnp.nanmin(grid)
    assert loss(result[None])[0] < best * 1.0001
    assert best < 0.99 * grid[75]  # the grid is not flat: a third of the way down from it, the loss is worse
