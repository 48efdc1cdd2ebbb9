"""When linear attention leaves its plateau: the closed forms against automatic differentiation and plain descent."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy.stats import spearmanr

from analysis.tables.in_memory import Tables
from experiments.regression.plateau import attention, escape, layers, results
from experiments.regression.plateau.escape import Problem
from experiments.regression.plateau.run import FORMS, ordered
from lab.layouts.merged import TokenLayout
from lab.learners.learner import predict
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.skewed import Skewed

TASK = Skewed(num_context=6, input_dim=3)


def weights_of(form, seed, scale, rank=2):
    drawn = attention.initial(form, jax.random.key(seed), heads=3, rank=rank, width=3)
    return jax.tree.map(lambda each: scale * each, drawn)


@pytest.fixture
def problem(float64):
    return Problem.of(TASK.moments(), TASK.num_context)


@pytest.mark.slow
def test_the_population_loss_is_the_mean_over_episodes(problem):
    m = jax.random.normal(jax.random.key(1), (3, 3))
    episodes = TASK.sample(jax.random.key(2), 400_000)
    b = jnp.mean(episodes.prompt.answers * episodes.prompt.context.x, axis=1)
    answers = jnp.einsum("bi,ij,bqj->bq", b, m, episodes.prompt.query.x)[..., None]
    losses = TASK.loss(answers, episodes.target)
    assert problem.loss(m) == pytest.approx(float(losses.mean()), abs=4 * float(losses.std()) / 400_000**0.5)
    best = np.diag(problem.variance / problem.square)
    assert np.abs(jax.grad(problem.loss)(jnp.asarray(best))).max() < 1e-12
    assert problem.least == pytest.approx(problem.level(1.0))
    assert problem.share(problem.level(0.3)) == pytest.approx(0.3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(4))
def test_the_predicted_time_is_that_of_small_steps_of_descent(problem, form, seed):
    """Up to a tenth of the loss the linearised flow is late or early by a few percent; with the linearised loss the
    two agree to the step's size, with any signs of the weights."""
    weights, rate, share = weights_of(form, seed, 0.05), 0.01, 0.1
    slope = -jnp.diag(jnp.asarray(problem.variance) ** 2)  # the gradient at zero

    def steps(loss):
        @jax.jit
        def descend(state):
            moved = jax.tree.map(lambda w, g: w - rate * g, state[0], jax.grad(loss)(state[0]))
            return moved, state[1] + 1

        def on_plateau(state):
            return (problem.loss(attention.matrix(state[0])) > problem.level(share)) & (state[1] < 100_000)

        return int(jax.lax.while_loop(on_plateau, descend, (weights, 0))[1]) * rate

    expected = FORMS[form](problem, *(np.asarray(each) for each in ordered(weights)), share)
    assert steps(lambda each: jnp.sum(slope * attention.matrix(each))) == pytest.approx(expected, rel=0.01, abs=rate)
    assert steps(lambda each: problem.loss(attention.matrix(each))) == pytest.approx(expected, rel=0.06)


def test_a_smaller_start_takes_a_logarithm_longer_if_merged_and_in_inverse_proportion_if_separate(problem):
    def times(form):
        return [FORMS[form](problem, *map(np.asarray, ordered(weights_of(form, 0, s)))) for s in (1e-3, 1e-4, 1e-5)]

    first, second, third = times(attention.MERGED)
    rate = np.linalg.norm(problem.variance**2)
    assert [second - first, third - second] == pytest.approx([np.log(10) / rate] * 2, rel=1e-3)
    first, second, third = times(attention.SEPARATE)
    assert [second / first, third / second] == pytest.approx([10, 10], rel=0.01)


def test_balanced_weights_of_one_direction_blow_up_after_one_over_the_rate_and_their_size(problem):
    one = np.zeros((1, 1, 3))
    one[..., 0] = size = 1e-4
    time = escape.separate_exit(problem, np.array([size]), one, one)
    assert time == pytest.approx(1 / (problem.variance[0] ** 2 * size), rel=1e-3)


def test_weights_that_are_too_large_begin_on_no_plateau(problem):
    times = [escape.merged_exit(problem, *map(np.asarray, ordered(weights_of("merged", 0, s)))) for s in (0.1, 3.0)]
    assert np.isfinite(times).tolist() == [True, False]


@pytest.mark.slow
def test_a_layer_answers_by_its_matrix_to_lowest_order(float64):
    """What is left of the answer is even in the teacher: the mean over W and -W."""
    model = LinearTransformer(Shape(TokenLayout.of(layers.TASK)), jax.random.key(3), 0.5)
    m = layers.matrix(layers.weights_of(model))
    prompt = layers.TASK.sample(jax.random.key(4), 5).prompt
    answers, opposite = (predict(model, dataclasses.replace(prompt, answers=sign * prompt.answers)) for sign in (1, -1))
    b = jnp.mean(prompt.answers * prompt.context.x, axis=1)
    odd = jnp.einsum("bi,ij,bqj->bq", b, m, prompt.query.x)
    np.testing.assert_allclose((answers - opposite)[..., 0] / 2, odd, rtol=1e-10, atol=1e-12)


def test_a_seed_leaves_at_the_first_low_mean_and_late_ones_wait():
    problem = Problem.of(layers.TASK.moments(), 10)
    losses = np.full((4, 200), float(problem.level(0.1)))
    for row, step in enumerate((20, 30, 40, 150)):
        losses[row, step:] = problem.level(1.0)
    exits = np.asarray(layers.exits(jnp.asarray(losses), problem.level(0.5)))
    assert list(exits) == [25, 35, 45, 155]
    *early, late = layers.waits(problem, losses, exits)
    assert early == [None, None, None]
    assert late == pytest.approx(0.1)
    losses[0] = problem.level(0.1)
    assert layers.exits(jnp.asarray(losses), problem.level(0.5))[0] == 200
    few = np.asarray(layers.exits(jnp.asarray(losses[:, :2]), problem.level(0.5)))
    assert list(few) == [2] * 4, "fewer than are smoothed"
    assert layers.waits(problem, losses[:, :2], few) == [None] * 4


def test_the_order_is_spearmans_correlation():
    steps, expected = [3.0, 9.0, 9.0, 1.0, 7.0], [1.0, 5.0, 4.0, 2.0, 4.0]
    rows = [
        {"seed": float(seed), "form": "merged", "scale": 0.1, "predicted": one, "steps": other}
        for seed, (one, other) in enumerate(zip(expected, steps, strict=True))
    ]
    numbers = results.order(results.EXITS, "merged", 0.1).numbers(Tables(exits=rows))
    assert numbers[""].mean == pytest.approx(np.asarray(spearmanr(expected, steps))[0])


def test_a_method_on_the_population_loss_takes_as_many_steps_as_its_rate_says(float64):
    """Plain descent at a small rate leaves at the time of the flow: twice the rate, half of the steps."""
    problem = Problem.of(layers.TASK.moments(), 10)
    weights = layers.weights_of(LinearTransformer(Shape(TokenLayout.of(layers.TASK)), jax.random.key(5), 0.1))
    moments, level = jnp.stack([problem.variance, problem.square]), problem.level(layers.SHARE)

    def steps(rate):
        return int(layers.steps_by(optax.sgd(rate), weights, moments, level, 100_000))

    assert steps(0.001) == pytest.approx(2 * steps(0.002), rel=0.01)
    assert steps(0.002) > 100
    assert int(layers.steps_by(optax.sgd(0.002), weights, moments, level, 50)) == 50
