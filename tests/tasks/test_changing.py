"""Teachers that change, and keys whose values do: Bayes' answers against a second computation, and samplers."""

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gate, Gates
from lab.learners.online.steps import OnePass
from tasks.changing_teacher import Drifting, Switching
from tasks.recall import Recall
from tests.compiled import sampled
from tests.tasks.test_posteriors import by_gaussians

KEY = jax.random.key(0)
COUNT = 4
SIZES = {"num_context": COUNT, "num_queries": 2, "input_dim": 3, "output_dim": 2, "noise": 0.3}
TASKS = (Drifting(persistence=0.8, **SIZES), Switching(change=0.3, **SIZES), Drifting(persistence=1.0, **SIZES),
         Switching(change=0.0, **SIZES))  # fmt: skip


def kernels(task):
    """(probability, correlation of W between the times 1 to N + 1) of all that may happen to a teacher."""
    times = np.arange(COUNT + 1)
    if isinstance(task, Drifting):
        yield 1.0, task.persistence ** np.abs(times[:, None] - times[None])
        return
    for changes in itertools.product((0, 1), repeat=COUNT):
        segment = np.cumsum([0, *changes])
        probability = np.prod([task.change if change else 1 - task.change for change in changes])
        yield probability, (segment[:, None] == segment[None]).astype(float)


def posterior(task, x, y, query, seen):
    """The mean of the target of one query by conditioning the joint Gaussian of all targets, in every case of what may
    have happened."""
    probabilities, correlations = zip(*kernels(task), strict=True)
    points, times = np.vstack([x[seen], query[None]]), np.append(np.flatnonzero(seen), COUNT)
    products = points @ points.T / task.input_dim
    joint = [correlation[np.ix_(times, times)] * products for correlation in correlations]
    return by_gaussians(joint, y[seen], task.noise, np.array(probabilities))


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_the_answer_is_the_posterior_mean(task, float64):
    """Also where queries see examples of their own, none among them."""
    prompts = sampled(task, KEY, 3).prompt
    visible = np.array([[True, False, True, True], [False] * COUNT])
    both = jax.jit(jax.vmap(lambda prompt: (task.optimal(prompt), task.optimal(prompt.replace(visible=visible)))))
    for masks, answers in zip((np.ones((2, COUNT), bool), visible), both(prompts), strict=True):
        for b, q in itertools.product(range(3), range(2)):
            x, y, query = (np.asarray(each[b]) for each in (prompts.context.x, prompts.answers, prompts.query.x))
            np.testing.assert_allclose(answers[b, q], posterior(task, x, y, query[q], masks[q]), atol=1e-12)


@pytest.mark.parametrize("kind", [Drifting, Switching])
def test_the_least_noise_that_is_allowed_is_more_than_rounding(kind):
    """In single precision, beside ridge regression in double; with .0001 all answers of the second were NaN."""
    least = next(field.metadata["at_least"] for field in dataclasses.fields(kind) if field.name == "noise")
    stays: dict[str, Any] = {"persistence": 1.0} if kind is Drifting else {"change": 0.0}
    task = kind(num_context=24, input_dim=8, noise=least, **stays)
    prompts = sampled(task, KEY, 100).prompt
    x, y, query = (np.asarray(each, np.float64) for each in (prompts.context.x, prompts.answers, prompts.query.x))
    system = x.mT @ x + 8 * least**2 * np.eye(8)
    ridge = query @ np.linalg.solve(system, x.mT @ y)
    np.testing.assert_allclose(jax.jit(jax.vmap(task.optimal))(prompts), ridge, atol=least / 5)


def test_inputs_have_the_variances_of_a_power_law():
    """Within 5 standard errors; and 1 in the mean, so that targets are as large as without it."""
    x = np.asarray(sampled(Drifting(num_context=10, input_dim=4, skew=1.0), KEY, 2000).prompt.context.x, np.float64)
    expected = np.array([1, 1 / 2, 1 / 3, 1 / 4]) / np.mean([1, 1 / 2, 1 / 3, 1 / 4])
    np.testing.assert_allclose(np.mean(x**2, axis=(0, 1)), expected, rtol=5 * np.sqrt(2 / 20_000))


def test_recall_asks_for_the_last_value(float64):
    """A loop with a dictionary; and the delta rule with rate 1 overwrites, so it answers the same."""
    task = Recall(num_context=7, num_queries=3, num_keys=3, input_dim=4, output_dim=2)
    episodes = sampled(task, KEY, 5)
    prompts, layout = episodes.prompt, TokenLayout.of(task)
    learner = OnePass(layout, Gates(Gate(jnp.ones(1))))
    visible = np.arange(7)[None] < np.array([0, 3, 7])[:, None]
    answers, shown, passes = jax.jit(
        jax.vmap(lambda p: (task.optimal(p), task.optimal(p.replace(visible=visible)), learner(p)))
    )(prompts)
    for b in range(5):
        x, y, query = (np.asarray(each[b]) for each in (prompts.context.x, prompts.answers, prompts.query.x))
        assert {*np.round(np.abs(x @ x.T), 12).ravel()} <= {0.0, 1.0}
        for q in range(3):
            for count, result in ((7, answers[b, q]), (visible[q].sum(), shown[b, q])):
                values = {tuple(np.round(x[i], 9)): y[i] for i in range(count)}
                np.testing.assert_allclose(result, values.get(tuple(np.round(query[q], 9)), np.zeros(2)), atol=1e-12)
    np.testing.assert_allclose(episodes.target, answers, atol=0)
    np.testing.assert_allclose(passes, answers, atol=1e-12)
