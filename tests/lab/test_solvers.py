"""Ridge and least squares."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.fit_per_query import LeastSquares
from lab.learners.ridge import Ridge
from tasks.catalogue import TASKS
from tests.lab.makers import NAMES, answer, one_prompt, prompts_of


@pytest.mark.parametrize("examples", [3, 20])
def test_ridge_minimises_its_objective(examples, float64):
    """The gradient of sum ||W f - y||^2 + penalty ||W||^2 is zero at W, found by predicting on unit vectors."""
    task = TASKS["plain"](num_context=examples, input_dim=5, num_queries=5, output_dim=2)
    prompt = one_prompt(task)
    units = prompt.replace(query=prompt.query.replace(x=jnp.eye(5)))
    w = Ridge(TokenLayout.of(task), 0.3)(units).T

    def objective(w):
        return jnp.sum((prompt.context.x @ w.T - prompt.answers) ** 2) + 0.3 * jnp.sum(w**2)

    assert np.abs(jax.grad(objective)(w)).max() < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_least_squares_is_the_limit_of_ridge(name, float64):
    """The two differ by about penalty / s^2 with s the smallest singular value: 1e-10 / 1e-6 at the worst here."""
    task = TASKS[name]()
    prompts = prompts_of(task, 5)
    layout = TokenLayout.of(task)
    ridge = answer(Ridge(layout, 1e-10), prompts)
    np.testing.assert_allclose(ridge, answer(LeastSquares(layout), prompts), atol=1e-4)
