"""Meta-training: reproducible, indifferent to chunks and to company, compiled once; its optimisers; and in one call."""

import dataclasses
import itertools

import chex
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from experiments.regression.comparison import trainees
from lab.config.choices import Optimizer
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tasks.catalogue import SYNTHETIC, TASKS
from tests.trainers import sessions
from tests.trainers.sessions import settings_of
from trainers import meta
from trainers.population import at, members
from trainers.recipe import Recipe
from trainers.train import train

STEPS, BATCH = 40, 16


def population(*words, steps=STEPS, batch=BATCH, task="rag_dot"):
    """The population of some settings, and what makes its Transformers."""
    sizes = (f"train.steps={steps}", f"train.batch_size={batch}", "task.input_dim=3")
    settings = settings_of("experiment=plain", f"task={task}", *sizes, *words)
    people = members([settings])
    return people, trainees.trainees(settings, at(people, 0), None)[trainees.SUBJECT]


def begun(people, make):
    return jax.jit(jax.vmap(lambda m: meta.begin(make, m.recipe, m.key)))(people)


def trained(people, make, *chunks):
    state, losses = begun(people, make), []
    for steps in chunks:
        run = jax.jit(jax.vmap(lambda s, m, steps=steps: meta.train(s, m.task, m.recipe, m.key, steps)))
        state, loss = run(state, people)
        losses.append(loss)
    return state, np.concatenate(losses, axis=1)


def test_the_same_seed_gives_the_same_bits():
    one, two = trained(*population(), 40), trained(*population(), 40)
    chex.assert_trees_all_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    assert not np.array_equal(one[1], trained(*population("seed=1"), 40)[1])


def test_chunks_change_nothing():
    """Bit for bit."""
    whole, cut = trained(*population(), 40), trained(*population(), 10, 29, 1)
    chex.assert_trees_all_equal(whole[0], cut[0])
    np.testing.assert_array_equal(whole[1], cut[1])


def test_a_population_is_its_members_alone():
    together, losses = trained(*population("seeds=3"), 40)
    for seed in (0, 2):
        alone, loss = trained(*population(f"seed={seed}"), 40)
        np.testing.assert_allclose(losses[seed], loss[0], rtol=1e-5)
        chex.assert_trees_all_close(
            jax.tree.map(lambda a, seed=seed: a[seed], together.learner),
            jax.tree.map(lambda a: a[0], alone.learner),
            atol=1e-5,
        )


def with_recipe(people, **numbers):
    return people.replace(recipe=people.recipe.replace(**numbers))


def test_other_numbers_are_not_another_program():
    """One trace serves other seeds, learning rates, initial scales, clips, alphas and sigmas."""
    people, make = population()

    @jax.jit
    @jax.vmap
    @chex.assert_max_traces(n=1)
    def train(state, member):
        return meta.train(state, member.task, member.recipe, member.key, 5)

    state = begun(people, make)
    first = train(state, people)[1]
    for other in (
        population("seed=3")[0],
        with_recipe(people, learning_rate=people.recipe.learning_rate * 2),
        with_recipe(people, clip_norm=people.recipe.clip_norm / 1000),
        people.replace(task=dataclasses.replace(people.task, scale=people.task.scale * 2)),
        people.replace(task=dataclasses.replace(people.task, sigma=people.task.sigma * 9)),
    ):
        assert not np.array_equal(train(state, other)[1], first)


def test_the_learning_rate_warms_up_and_decays():
    """Adam moves some weight by about the rate: not at all at first, 0.001 near the peak, almost nothing at last."""
    people, make = population("train.warmup=0.1", steps=100, batch=4)
    start = begun(people, make)
    steps = {n: jax.jit(jax.vmap(lambda s, m, n=n: meta.train(s, m.task, m.recipe, m.key, n)[0])) for n in (1, 19, 78)}
    states = itertools.accumulate((1, 19, 1, 78, 1), lambda state, n: steps[n](state, people), initial=start)
    after = [state.learner for state in states][1:]  # of steps 1, 20, 21, 99 and 100

    def moved(a, b):
        return max(float(abs(x - y).max()) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True))

    assert moved(start.learner, after[0]) == 0
    assert moved(after[1], after[2]) > 0.5 * 0.001
    assert moved(after[3], after[4]) < 1e-6


def test_a_loss_that_is_not_finite_freezes_its_member_alone():
    """One of three moves its weights by 1e30 in a step. It stays there, where the next loss overflows."""
    people, make = population("seeds=3", "train.warmup=0")
    state, losses = trained(people, make, 40)
    rates = people.recipe.learning_rate.at[1].set(1e30)
    broken, seen = trained(with_recipe(people, learning_rate=rates), make, 40)
    assert broken.alive.tolist() == [True, False, True]
    assert np.all(np.isnan(seen[1, 3:]))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(broken.learner))
    others = np.array([0, 2])
    np.testing.assert_array_equal(seen[others], losses[others])
    for a, b in zip(jax.tree.leaves(broken.learner), jax.tree.leaves(state.learner), strict=True):
        np.testing.assert_array_equal(a[others], b[others])


def test_any_learner_with_parameters_can_be_trained():
    """Gradient descent with a wrong rate learns the rate of the oracle, 0.7576, and its W_0 stays as it was."""
    task, recipe, key = TASKS["rag_dot"](), Recipe(200, 256, learning_rate=0.03), jax.random.key(0)
    layout = TokenLayout.of(task)
    state = meta.begin(lambda key, scale: GradientDescent(layout, 0.1), recipe, key)
    state, losses = jax.jit(lambda state: meta.train(state, task, recipe, key, 200))(state)
    assert losses[-20:].mean() < losses[:20].mean()
    assert abs(float(state.learner.eta[...]) - 0.7576) < 0.05 * 0.7576
    assert np.all(state.learner.initial_model[...] == 0)


@pytest.mark.parametrize("name", sorted(SYNTHETIC))
def test_the_loss_falls(name):
    people, make = population("train.learning_rate=0.01", steps=200, batch=128, task=name)
    losses = trained(people, make, 200)[1][0]
    assert losses[-20:].mean() < 0.8 * losses[:20].mean()


RATE = 0.1


def first_update(method, gradient):
    parameters = jax.tree.map(jnp.zeros_like, gradient)
    optimizer = meta.OPTIMIZERS[method](lambda count: RATE)
    return optimizer.update(gradient, optimizer.init(parameters), parameters)[0]


@pytest.mark.parametrize("method", list(Optimizer))
def test_it_descends(method):
    """||W - T||^2 for a matrix and a vector; the learning rate decays to 0, so that the steps get small."""
    target = {"matrix": jax.random.normal(jax.random.key(0), (1, 4, 3)), "vector": jnp.arange(3.0)}
    optimizer = meta.OPTIMIZERS[method](lambda count: 0.2 * (1 - count / 200))

    def loss(parameters):
        return sum(jnp.sum((parameters[name] - target[name]) ** 2) for name in target)

    @jax.jit
    def step(carry, _):
        parameters, state = carry
        change, state = optimizer.update(jax.grad(loss)(parameters), state, parameters)
        return (optax.apply_updates(parameters, change), state), None

    start = jax.tree.map(jnp.zeros_like, target)
    (end, _), _ = jax.lax.scan(step, (start, optimizer.init(start)), length=200)
    assert loss(end) < 1e-3 * loss(start)


def test_muon_moves_every_direction_of_a_matrix_alike():
    """Singular values of the update are .6 to 1.3 times the rate (five Newton-Schulz steps give that), whatever those
    of the gradient, for each head; Adam's update of the same gradient is large along one direction."""
    u, v = (np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0] for seed in (0, 1))
    spectra = np.array([[1000.0, 10.0, 1.0, 0.5], [1.0, 1.0, 0.1, 0.05]])
    gradient = jnp.asarray(np.einsum("ij,hj,kj->hik", u, spectra, v), jnp.float32)
    moved = np.linalg.svd(np.asarray(first_update(Optimizer.muon, {"w": gradient})["w"]), compute_uv=False)
    assert np.all(moved[1] > 0.6 * RATE)
    assert np.all(moved < 1.3 * RATE)
    by_adam = np.linalg.svd(np.asarray(first_update(Optimizer.adam, {"w": gradient})["w"]), compute_uv=False)
    assert by_adam[0].max() > 2 * RATE


def test_muon_moves_what_is_no_matrix_as_nesterovs_adam():
    gradient = {"eta": jnp.array([3.0, -2.0])}
    np.testing.assert_allclose(np.sign(first_update(Optimizer.muon, gradient)["eta"]), [-1, 1])


def test_training_in_one_call_is_that_of_a_run():
    """A member's Transformer, from its first weights to the same losses and weights; what was given is unchanged."""
    session = sessions.begun(settings_of("experiment=rag_dot", "train.steps=6", "train.batch_size=8", "seed=3"))
    member, learner = at((session.members, session.trained["transformer"]), 0)
    before = [np.asarray(leaf) for leaf in jax.tree.leaves(learner)]
    expected = session.advance(6)["transformer"][0]
    trained, losses = train(learner, member.task, member.recipe, member.key)
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    for leaf, other in zip(jax.tree.leaves(trained), jax.tree.leaves(session.trained["transformer"]), strict=True):
        np.testing.assert_allclose(leaf, other[0], rtol=1e-5, atol=1e-8)
    for leaf, other in zip(jax.tree.leaves(learner), before, strict=True):
        np.testing.assert_array_equal(leaf, other)


def test_another_learning_rate_is_not_another_program_in_one_call(monkeypatch):
    traces, real = [], meta.train
    monkeypatch.setattr(meta, "train", lambda *arguments: traces.append(1) or real(*arguments))
    member = at(sessions.begun(settings_of("experiment=plain", "train.steps=5", "train.batch_size=4")).members, 0)
    learner, last = GradientDescent(TokenLayout.of(member.task), 0.1, steps=2), {}
    for rate in (0.1, 0.2):
        recipe = dataclasses.replace(member.recipe, learning_rate=rate)
        trained, losses = train(learner, member.task, recipe, member.key)
        assert losses.shape == (5,)
        last[rate] = float(trained.eta[...])
    assert len(traces) == 1
    assert last[0.1] != last[0.2] != 0.1
