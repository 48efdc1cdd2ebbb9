"""What the learners of the comparison need: their rates."""

import jax
import numpy as np
import pytest

from experiments.regression.comparison import descents, references
from lab.layouts.merged import TokenLayout
from lab.learners.gd_plus_plus import GDPlusPlus
from tasks.catalogue import TASKS
from tests.compiled import sampled
from tests.trainers.sessions import settings_of
from trainers.meta import mean_loss
from trainers.population import members


def prepared(*words, episodes=20_000):
    config = settings_of(*words, f"baselines.line_search_episodes={episodes}")
    population = members([config])
    result = jax.jit(lambda people: references.prepare(config, people))(population)
    return tuple(jax.tree.map(lambda leaf: leaf[0], tree) for tree in (population, result))


@pytest.mark.slow
def test_the_step_from_the_retrieved_model_has_a_rate_of_its_own():
    """The best one: on 20,000 other episodes no rate 20% away is better, and zero has a worse start."""
    member, result = prepared("experiment=rag_dot", "task.shared=true", "task.sigma=0.6", "task.input_dim=5")
    make = descents.retrieved_descent_of(member)
    episodes = sampled(member.task, jax.random.key(7), 20_000)
    loss = jax.jit(lambda learner: mean_loss(learner, member.task, episodes))
    eta = result.retrieved_eta.eta
    descent = descents.squared_descent_of(
        settings_of("experiment=rag_dot"), TokenLayout.of(member.task), result.initial_model
    )
    best = loss(make(eta))
    assert best < loss(make(0.8 * eta))
    assert best < loss(make(1.2 * eta))
    assert best < loss(descent(result.eta.eta))


def test_there_is_none_where_each_episode_has_a_retriever_of_its_own():
    member, result = prepared("experiment=rag_dot")
    assert descents.retrieved_descent_of(member) is None
    assert result.retrieved_eta is None


@pytest.mark.slow
def test_gd_plus_plus_reaches_its_optimum_at_five_layers(optimized):
    """The default recipe ends within 2% of the best of a grid of shared rates round its end, on other episodes."""
    member, result = prepared("experiment=depth_long")
    task, layout = TASKS["plain"](scale=0.5), TokenLayout.of(member.task)
    episodes = sampled(task, jax.random.key(7), 10_000)
    eta, gamma = (float(rates[0]) for rates in result.gd_plus_plus.rates())

    @jax.jit
    def loss(eta, gamma):
        learner = GDPlusPlus(layout, 1.0, 5)
        learner.relative_eta[...], learner.relative_gamma[...] = eta[None], gamma[None]
        return mean_loss(learner, task, episodes)

    grid = [loss(eta * a, gamma * b) for a in np.linspace(0.8, 1.2, 5) for b in np.linspace(0.8, 1.2, 5)]
    assert loss(np.float32(eta), np.float32(gamma)) < 1.02 * min(grid)


@pytest.mark.slow
def test_rates_of_every_step_are_found_though_they_are_of_many_sizes(optimized):
    """A fortieth of the episodes of `stacks` are enough to end below half of the loss that one pair of rates for all
    steps has (.36 of it); with the rates themselves as parameters, and not their logarithms, it ends above (.77)."""
    words = ["experiment=stacks", "baselines.gd_plus_plus.steps=800", "baselines.gd_plus_plus.batch_size=64"]
    member, by_step = prepared(*words, episodes=2000)
    shared = prepared(*words, "baselines.gd_plus_plus.shared=true", episodes=2000)[1]
    episodes = sampled(member.task, jax.random.key(7), 10_000)
    loss = jax.jit(lambda learner: mean_loss(learner, member.task, episodes))
    own, same = (loss(each.gd_plus_plus) for each in (by_step, shared))
    assert own < 0.5 * same
    eta, _ = by_step.gd_plus_plus.rates()
    assert eta.max() > 20 * eta[0]


@pytest.mark.slow
def test_heavy_ball_reaches_its_optimum_at_two_steps(optimized):
    """Its answer then is c b x - e C b x, with the vector b and the matrix C of the context, c = (2 + beta) eta and
    e = eta^2: least squares in c and e has the optimum in closed form. Within 1% of its loss, on other episodes."""
    member, result = prepared("experiment=plain", "task.scale=0.5", "model.num_layers=2", "baselines.heavy_ball=true")
    episodes = sampled(member.task, jax.random.key(7), 20_000)
    x, y, query = episodes.prompt.context.x, episodes.prompt.answers[..., 0], episodes.prompt.query.x[:, 0]
    b = np.einsum("eni,en->ei", x, y) / x.shape[1]
    c_b = np.einsum("eni,enj,ej->ei", x, x, b) / x.shape[1]
    features = np.stack([np.sum(b * query, axis=1), -np.sum(c_b * query, axis=1)], axis=1)
    target = episodes.target[:, 0, 0]
    (c, e), *_ = np.linalg.lstsq(features, np.asarray(target))
    best = 0.5 * np.mean((features @ np.array([c, e]) - target) ** 2)
    loss = float(jax.jit(lambda learner: mean_loss(learner, member.task, episodes))(result.heavy_ball))
    assert best < loss < 1.01 * best
    np.testing.assert_allclose(result.heavy_ball.eta, np.sqrt(e), rtol=0.05)
    np.testing.assert_allclose(result.heavy_ball.beta[...], c / np.sqrt(e) - 2, atol=0.05)


def test_heavy_ball_of_one_step_is_gradient_descent_and_only_where_asked_for():
    _, result = prepared("experiment=plain", "baselines.heavy_ball=true")
    assert result.heavy_ball.beta[...] == 0
    assert result.heavy_ball.eta == result.eta.eta
    assert prepared("experiment=plain")[1].heavy_ball is None
