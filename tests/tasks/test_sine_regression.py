"""Sine waves with queries of their own, and tasks whose queries are a grid."""

import chex
import jax
import numpy as np
import pytest

from tasks.catalogue import TASKS
from tasks.functions.real import Sine
from tasks.wrapper import Along, has_curves
from tests.compiled import sampled

KEY = jax.random.key(0)
TASK = TASKS["sine_regression"](num_context=5, num_queries=3)


def test_targets_are_sine_waves_of_the_class():
    """The functions are those that the class draws from the same key, at inputs of their own."""
    episodes = sampled(TASK, KEY, 4)
    amplitude, phase = (np.asarray(each)[:, None, None] for each in Sine().draw(jax.random.split(KEY)[1], 4))
    prompt = episodes.prompt
    for x, values in ((prompt.context.x, prompt.answers), (prompt.query.x, episodes.target)):
        np.testing.assert_allclose(values, amplitude * np.sin(np.asarray(x) + phase), atol=1e-5)
    assert prompt.visible is None
    assert episodes.target.shape == (4, 3, 1)


@pytest.mark.parametrize("scale", [0.5, 5.0])
def test_moments(scale):
    """E f^2 is 4.25 for any scale, and E x^2 is scale^2 / 3: within 5 standard errors."""
    episodes = sampled(TASKS["sine_regression"](scale=scale), KEY, 20_000)
    x, f = (np.asarray(each, np.float64)[:, 0, 0] for each in (episodes.prompt.query.x, episodes.target))
    for values, expected in ((f**2, Sine().second_moment), (x**2, scale**2 / 3)):
        assert abs(values.mean() - expected) < 5 * values.std() / np.sqrt(len(values))
    assert abs(x).max() <= scale


@pytest.mark.parametrize("name", ["sine_regression", "plain"])
def test_along_has_the_same_functions_at_the_queries_of_a_grid(name):
    task = TASKS[name](num_context=5, input_dim=1, scale=2.0)
    episodes, along = sampled(task, KEY, 3), sampled(Along(task), KEY, 3)
    chex.assert_trees_all_equal(along.prompt.replace(query=None), episodes.prompt.replace(query=None))
    np.testing.assert_allclose(along.prompt.query.x[1, :, 0], np.linspace(-2, 2, 101), rtol=1e-5, atol=1e-6)
    function = task.teacher(jax.random.split(KEY)[1], 3, None)
    np.testing.assert_allclose(along.target, function(along.prompt.query), rtol=1e-6)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (TASKS["sine_regression"](), True),
        (TASKS["plain"](input_dim=1), True),
        (TASKS["plain"](), False),
        (TASKS["plain"](input_dim=1, output_dim=2), False),
        (TASKS["rag_dot"](input_dim=1), False),
        (TASKS["sine"](), False),
    ],
)
def test_which_tasks_have_curves(task, expected):
    assert has_curves(task) is expected
