"""Meta-training: reproducible, indifferent to chunks and to company, compiled once."""

import dataclasses

import chex
import jax
import numpy as np
import pytest

from lab.config import comparison as configuration
from lab.config.comparison import Config
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tasks.catalogue import SYNTHETIC, TASKS
from trainers import meta
from trainers.experiments.comparison import baselines
from trainers.population import at, members

SCHEDULE = meta.Recipe(steps=40, batch_size=16)


def configured(**options) -> Config:
    return Config(task=configuration.TASKS["rag_dot"](input_dim=3), **options)


def population(seed=0, seeds=1, **train):
    config = configured(seed=seed, population=configuration.Population(seeds), train=configuration.Train(**train))
    return begin_of(config)


def begin_of(config):
    """The population of a configuration, and what makes its Transformers."""
    people = members([config])
    return people, baselines.trainees(config, at(people, 0), None)[baselines.SUBJECT]


def begun(people, make, recipe=SCHEDULE):
    return jax.jit(jax.vmap(lambda m: meta.init(m, recipe, make)))(people)


def trained(people, make, *chunks, recipe=SCHEDULE):
    state, losses = begun(people, make, recipe), []
    for steps in chunks:
        run = jax.jit(jax.vmap(lambda s, m, steps=steps: meta.train(s, m, recipe, steps)))
        state, loss = run(state, people)
        losses.append(loss)
    return state, np.concatenate(losses, axis=1)


def test_the_same_seed_gives_the_same_bits():
    one, two = trained(*population(), 40), trained(*population(), 40)
    chex.assert_trees_all_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    assert not np.array_equal(one[1], trained(*population(seed=1), 40)[1])


def test_chunks_change_nothing():
    """Bit for bit."""
    whole, cut = trained(*population(), 40), trained(*population(), 10, 29, 1)
    chex.assert_trees_all_equal(whole[0], cut[0])
    np.testing.assert_array_equal(whole[1], cut[1])


def test_a_population_is_its_members_alone():
    together, losses = trained(*population(seeds=3), 40)
    for seed in range(3):
        alone, loss = trained(*population(seed=seed), 40)
        np.testing.assert_allclose(losses[seed], loss[0], rtol=1e-5)
        chex.assert_trees_all_close(
            jax.tree.map(lambda a, seed=seed: a[seed], together.learner),
            jax.tree.map(lambda a: a[0], alone.learner),
            atol=1e-5,
        )


def test_other_numbers_are_not_another_program():
    """One trace serves other seeds, learning rates, initial scales, clips, alphas and sigmas."""
    people, make = population()

    @jax.jit
    @jax.vmap
    @chex.assert_max_traces(n=1)
    def train(state, member):
        return meta.train(state, member, SCHEDULE, 5)

    state = begun(people, make)
    first = train(state, people)[1]
    for other in (
        population(seed=3)[0],
        dataclasses.replace(people, learning_rate=people.learning_rate * 2),
        dataclasses.replace(people, clip_norm=people.clip_norm / 1000),
        dataclasses.replace(people, task=dataclasses.replace(people.task, scale=people.task.scale * 2)),
        dataclasses.replace(people, task=dataclasses.replace(people.task, sigma=people.task.sigma * 9)),
    ):
        assert not np.array_equal(train(state, other)[1], first)


def test_the_learning_rate_warms_up_and_decays():
    """Adam moves some weight by about the rate: not at all at first, 0.001 near the peak, almost nothing at last."""
    people, make = population()
    recipe = meta.Recipe(steps=100, batch_size=4, warmup=0.1)
    start = begun(people, make, recipe)
    after = [trained(people, make, n, recipe=recipe)[0].learner for n in (1, 20, 21, 99, 100)]

    def moved(a, b):
        return max(float(abs(x - y).max()) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True))

    assert moved(start.learner, after[0]) == 0
    assert moved(after[1], after[2]) > 0.5 * 0.001
    assert moved(after[3], after[4]) < 1e-6


def test_a_loss_that_is_not_finite_freezes_its_member_alone():
    """One of three moves its weights by 1e30 in a step. It stays there, where the next loss overflows."""
    people, make = population(seeds=3)
    recipe = meta.Recipe(steps=40, batch_size=16, warmup=0.0)
    state, losses = trained(people, make, 40, recipe=recipe)
    rates = people.learning_rate.at[1].set(1e30)
    broken, seen = trained(dataclasses.replace(people, learning_rate=rates), make, 40, recipe=recipe)
    assert broken.alive.tolist() == [True, False, True]
    assert np.all(np.isnan(seen[1, 3:]))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(broken.learner))
    others = np.array([0, 2])
    np.testing.assert_array_equal(seen[others], losses[others])
    for a, b in zip(jax.tree.leaves(broken.learner), jax.tree.leaves(state.learner), strict=True):
        np.testing.assert_array_equal(a[others], b[others])


def test_any_learner_with_parameters_can_be_trained():
    """Gradient descent with a wrong rate learns the rate of the oracle, 0.7576, and its W_0 stays as it was."""
    people, _ = population(learning_rate=0.03)
    people = dataclasses.replace(people, task=jax.tree.map(lambda a: np.full(1, a), TASKS["rag_dot"]()))
    layout = TokenLayout.of(TASKS["rag_dot"]())
    recipe = meta.Recipe(steps=200, batch_size=256)
    state, losses = trained(people, lambda key, scale: GradientDescent(layout, 0.1), 200, recipe=recipe)
    assert losses[0, -20:].mean() < losses[0, :20].mean()
    assert abs(float(state.learner.eta[0]) - 0.7576) < 0.05 * 0.7576
    assert np.all(state.learner.initial_model[...] == 0)


@pytest.mark.parametrize("name", sorted(SYNTHETIC))
def test_the_loss_falls(name):
    config = Config(task=configuration.TASKS[name](input_dim=3), train=configuration.Train(learning_rate=0.01))
    people, make = begin_of(config)
    losses = trained(people, make, 200, recipe=meta.Recipe(steps=200, batch_size=128))[1][0]
    assert losses[-20:].mean() < 0.8 * losses[:20].mean()
