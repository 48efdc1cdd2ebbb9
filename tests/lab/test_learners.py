"""Every learner: the type, and the formula that it stands for."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.attention.linear import linear_attention
from lab.choices import Injection
from lab.learners.construction import constructed
from lab.learners.descent import GradientDescent
from lab.learners.gd_plus_plus import GDPlusPlus
from lab.learners.interpolation import interpolated
from lab.learners.learner import Learner, predict
from lab.learners.least_squares import LeastSquares
from lab.learners.ridge import Ridge
from lab.learners.transformer import LinearTransformer, Shape
from lab.tokens import TokenLayout
from tasks.catalogue import TASKS
from tests.lab import reference

KEY = jax.random.key(0)
NAMES = sorted(TASKS)


# Whole calls are compiled: operation by operation these tests take ten times as long.
answer = jax.jit(predict)


def shape_of(task, **options):
    return Shape(TokenLayout.of(task), document_width=task.document_width, **options)


def transformer(task, key=KEY, **options):
    shape = shape_of(task, **options)
    return jax.jit(lambda key: LinearTransformer(shape, key, init_scale=1.0))(key)


def gd_plus_plus(task, steps, **options):
    """With rates that differ between the steps."""
    learner = GDPlusPlus(TokenLayout.of(task), 0.5, steps, shared=False, **options)
    learner.relative_eta[...] = jnp.linspace(1.0, 1.5, steps)
    learner.relative_gamma[...] = jnp.linspace(0.4, 0.2, steps)
    return learner


def by_hand_of(task, **options):
    shape = shape_of(task, **options)
    return jax.jit(lambda eta: constructed(shape, eta, task.num_context))(0.5)


def episodes_of(task, batch):
    return jax.jit(lambda key: task.sample(key, batch))(KEY)


def one_episode(task):
    return jax.tree.map(lambda a: a[0], episodes_of(task, 1))


# One row gives a learner every test of this file's first half.
LEARNERS = {
    "transformer": lambda task: transformer(task, num_layers=2, num_heads=2),
    "constructed": lambda task: by_hand_of(task, num_layers=2),
    "interpolated": lambda task: jax.jit(interpolated)(transformer(task), by_hand_of(task)),
    "gradient_descent": lambda task: GradientDescent(TokenLayout.of(task), 0.5, steps=3),
    "gd_plus_plus": lambda task: gd_plus_plus(task, 3),
    "ridge": lambda task: Ridge(TokenLayout.of(task), 0.1),
    "least_squares": lambda task: LeastSquares(TokenLayout.of(task)),
}
EVERY = list(itertools.product(sorted(LEARNERS), NAMES))


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_answers_every_prompt(learner, name):
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2, output_dim=2)
    one = LEARNERS[learner](task)
    assert isinstance(one, Learner)
    episodes = episodes_of(task, 5)
    assert answer(one, episodes).shape == (5, 2, 2)
    leaves, structure = jax.tree.flatten(one)
    np.testing.assert_array_equal(answer(one, episodes), answer(jax.tree.unflatten(structure, leaves), episodes))


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_sees_neither_the_target_nor_other_queries_nor_the_order(learner, name, float64):
    task = TASKS[name](input_dim=3, num_context=4, num_queries=2)
    learner, episode = LEARNERS[learner](task), one_episode(task)
    one = jax.jit(lambda episode: learner(episode))
    said = one(episode)
    np.testing.assert_array_equal(one(episode.replace(query_y=episode.query_y + 1)), said)

    # zero gradient of the first query's prediction in the second query, nonzero in its own
    by_query = jax.jit(jax.jacobian(lambda x: learner(episode.replace(query=episode.query.replace(x=x)))[0]))(
        episode.query.x
    )
    assert np.all(by_query[:, 1] == 0)
    assert np.any(by_query[:, 0] != 0)

    turned = episode.replace(
        context=jax.tree.map(lambda a: a[::-1], episode.context), context_y=episode.context_y[::-1]
    )
    np.testing.assert_allclose(one(turned), said, atol=1e-10)  # a sum in another order


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize(("wide", "tolerance"), [(True, 1e-12), (False, 1e-5)])
def test_construction_is_gradient_descent(name, steps, outputs, wide, tolerance):
    """Equal to the learner that differentiates L, from zero and from a W_0, with one block and with a block a layer.

    eta is about the best single step's, so that predictions are of order 1.
    """
    task, eta = TASKS[name](output_dim=outputs), 0.75 if name == "rag_dot" else 1.2
    layout = TokenLayout.of(task)

    def differences(episodes):
        some = 0.3 * jax.random.normal(KEY, (outputs, layout.feature_dim))
        for recurrent, w_0 in ((True, None), (True, some), (False, some)):
            shape = shape_of(task, num_layers=steps, num_heads=2, recurrent=recurrent)
            by_hand = predict(constructed(shape, eta, task.num_context, w_0), episodes)
            yield by_hand - predict(GradientDescent(layout, eta, steps, w_0), episodes)

    with jax.enable_x64(wide):
        found = jax.jit(lambda episodes: list(differences(episodes)))(episodes_of(task, 20))
    assert len(found) == 3
    for difference in found:
        assert difference.dtype == (jnp.float64 if wide else jnp.float32)
        assert np.abs(difference).max() < tolerance


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("steps", [1, 3])
def test_gradient_descent_is_its_closed_form(name, steps, float64):
    task = TASKS[name](input_dim=3, num_context=4, output_dim=2)
    layout = TokenLayout.of(task)
    w_0 = jax.random.normal(KEY, (2, layout.feature_dim))
    learner = GradientDescent(layout, 0.3, steps, w_0)
    episode = one_episode(task)
    f, f_query = layout.features(episode.context), layout.features(episode.query)
    expected = reference.gradient_descent(f, episode.context_y, f_query, 0.3, steps, w_0)
    np.testing.assert_allclose(jax.jit(lambda e: learner(e))(episode), expected, atol=1e-13)


@pytest.mark.parametrize(
    ("name", "injection"),
    [(name, how) for name in NAMES for how in Injection if how.value == "pooled" or name == "rag_dot"],
)
@pytest.mark.parametrize(
    ("num_layers", "num_heads", "num_context", "recurrent"), [(1, 1, 4, True), (2, 2, 4, False), (3, 1, 40, True)]
)
def test_transformer_is_the_all_token_forward(name, injection, recurrent, num_layers, num_heads, num_context, float64):
    """The short cuts (merged products, Gram matrix for the longer context, the query's y-slot alone) change nothing."""
    task = TASKS[name](input_dim=2, num_context=num_context, output_dim=2, num_queries=2)
    model = transformer(task, num_layers=num_layers, num_heads=num_heads, recurrent=recurrent, injection=injection)
    model.initial_model[...] = jax.random.normal(KEY, model.initial_model.shape)
    episode = one_episode(task)
    expected = reference.all_token_transformer(model, episode)
    np.testing.assert_allclose(jax.jit(lambda e: model(e))(episode), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("clip", [None, 1.05])
def test_a_transformer_contains_gd_plus_plus(name, clip, float64):
    """A layer whose value matrix also takes gamma/eta of the features away is GD++'s step, at every read-out.

    The clip is above the features (1 at most) and below some targets, so that it acts on the targets alone.
    """
    task, steps = TASKS[name](input_dim=4, output_dim=2, num_queries=2), 3
    learner = gd_plus_plus(task, steps, clip=clip)
    layout = learner.layout
    model = constructed(shape_of(task, num_layers=steps, recurrent=False, clip=clip), 1.0, task.num_context)
    features = jnp.arange(layout.feature_dim)
    for block, eta, gamma in zip(model.blocks, *learner.rates(), strict=True):
        block.p[...] *= eta
        block.w_v[...] = block.w_v[...].at[0, features, features].set(-gamma / eta)
    episodes = episodes_of(task, 20)
    readouts = jax.jit(lambda learner: jax.vmap(learner.readouts)(episodes))
    found = readouts(learner)
    assert found.shape == (20, steps, 2, 2)
    np.testing.assert_allclose(readouts(model), found, atol=1e-12)
    clipped = np.abs(found) == clip if clip else np.zeros(1)
    assert clipped.any() == (clip is not None)


@pytest.mark.parametrize("name", ["rag_dot"])
def test_readouts_are_the_predictions_after_fewer_steps(name, float64):
    """Of gradient descent, of GD++ without gamma (which is gradient descent), and of a recurrent Transformer."""
    task = TASKS[name](input_dim=3)
    layout, episodes = TokenLayout.of(task), episodes_of(task, 4)
    for of_depth in (
        lambda depth: GradientDescent(layout, 0.5, depth),
        lambda depth: GDPlusPlus(layout, 0.5, depth),
        lambda depth: transformer(task, num_layers=depth),
    ):
        readouts = jax.jit(jax.vmap(of_depth(3).readouts))(episodes)
        for depth in (1, 2, 3):
            np.testing.assert_allclose(readouts[:, depth - 1], answer(of_depth(depth), episodes), atol=1e-12)
    gd, plus = GradientDescent(layout, 0.5, 3), GDPlusPlus(layout, 0.5, 3)
    np.testing.assert_allclose(answer(gd, episodes), answer(plus, episodes), atol=1e-12)


def test_documents_reach_the_prediction():
    task = TASKS["rag_dot"]()
    episodes = episodes_of(task, 3)
    more = episodes.replace(documents=2 * episodes.documents)
    model = transformer(task)
    assert np.abs(answer(model, more) - answer(model, episodes)).min() > 0


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 6), st.integers(1, 6))
def test_linear_attention_is_the_sum(queries, keys, width, out):
    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-3, 4, size).astype(np.float32) for size in ((queries, width), (keys, width), (keys, out)))
    expected = [[sum(v[s, c] * (k[s] @ q[t]) for s in range(keys)) for c in range(out)] for t in range(queries)]
    np.testing.assert_array_equal(linear_attention(jnp.array(q), jnp.array(k), jnp.array(v)), expected)


def test_linear_attention_is_linear_in_a_long_context():
    """Operations that XLA counts: ten times the keys, for as many queries, are at most eleven times the work."""

    def flops(length):
        many = jnp.ones((length, 8))
        return jax.jit(linear_attention).lower(many, many, many).compile().cost_analysis()["flops"]

    assert flops(10_000) <= 11 * flops(1000)


@pytest.mark.parametrize("examples", [3, 20])
def test_ridge_minimises_its_objective(examples, float64):
    """The gradient of sum ||W f - y||^2 + penalty ||W||^2 is zero at W, found by predicting on unit vectors."""
    task = TASKS["plain"](num_context=examples, input_dim=5, num_queries=5, output_dim=2)
    episode = one_episode(task)
    units = episode.replace(query=episode.query.replace(x=jnp.eye(5)))
    w = Ridge(TokenLayout.of(task), 0.3)(units).T

    def objective(w):
        return jnp.sum((episode.context.x @ w.T - episode.context_y) ** 2) + 0.3 * jnp.sum(w**2)

    assert np.abs(jax.grad(objective)(w)).max() < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_least_squares_is_the_limit_of_ridge(name, float64):
    """The two differ by about penalty / s^2 with s the smallest singular value: 1e-10 / 1e-6 at the worst here."""
    task = TASKS[name]()
    episodes = episodes_of(task, 5)
    layout = TokenLayout.of(task)
    ridge = answer(Ridge(layout, 1e-10), episodes)
    np.testing.assert_allclose(ridge, answer(LeastSquares(layout), episodes), atol=1e-4)


def rescaled(model, c, d):
    """The same function with other weights: W_K and P by c, W_Q and W_V by 1/c, then A / d and B d; documents by -c."""
    model = jax.tree.map(lambda a: a, model)
    for block in model.blocks:
        block.w_k[...], block.w_q[...] = c / d * block.w_k[...], block.w_q[...] / c
        block.p[...], block.w_v[...] = c * block.p[...], d / c * block.w_v[...]
        block.w_dk[...], block.w_dv[...] = -c * block.w_dk[...] * c, -block.w_dv[...] / c / c
    return model


@pytest.mark.parametrize(("name", "recurrent"), [("plain", True), ("rag_linear", False), ("rag_dot", False)])
def test_interpolation_does_not_depend_on_the_scale_of_weights(name, recurrent, float64):
    task = TASKS[name](input_dim=3)
    options = {"num_layers": 2, "recurrent": recurrent}
    one, two = transformer(task, jax.random.key(1), **options), transformer(task, jax.random.key(2), **options)
    other, episodes = rescaled(one, 2.0, -3.0), episodes_of(task, 4)
    said, said_by_two = answer(one, episodes), answer(two, episodes)
    np.testing.assert_allclose(answer(other, episodes), said, rtol=1e-9)  # still the same function

    @jax.jit
    def between(first, second, weight=0.5):
        return predict(interpolated(first, second, weight), episodes)

    np.testing.assert_allclose(between(other, two), between(one, two), rtol=1e-9)
    np.testing.assert_allclose(between(one, other), said, rtol=1e-9)
    np.testing.assert_allclose(between(one, two, 0.0), said, rtol=1e-9)
    np.testing.assert_allclose(between(one, two, 1.0), said_by_two, rtol=1e-9)


def test_interpolation_counts_an_input_shown_twice_once(float64):
    """With f = (x, x), A's blocks can be moved into one another without changing the function, nor the mid-point."""
    task = TASKS["rag_dot"](input_dim=3)
    by_hand, moved = by_hand_of(task), by_hand_of(task)
    moved.blocks[0].w_k[...] = moved.blocks[0].w_k[...].at[0, :6, :6].set(jnp.kron(jnp.ones((2, 2)), jnp.eye(3)) / 2)
    episodes = episodes_of(task, 4)
    for model in (moved, jax.jit(interpolated)(moved, by_hand)):
        np.testing.assert_allclose(answer(model, episodes), answer(by_hand, episodes), atol=1e-13)


def test_interpolation_says_what_it_is_not_defined_for():
    task = TASKS["plain"]()
    with pytest.raises(ValueError, match="one head"):
        interpolated(transformer(task, num_heads=2), transformer(task, num_heads=2))
    with pytest.raises(ValueError, match="different shapes"):
        interpolated(transformer(task), transformer(task, num_layers=2))


def test_trained_and_constructed_are_one_pytree_type():
    task = TASKS["rag_dot"]()
    trained, by_hand = transformer(task), constructed(shape_of(task), 0.5, 10)
    assert jax.tree.structure(trained) == jax.tree.structure(by_hand)


def test_the_initial_model_is_not_a_parameter():
    task = TASKS["plain"]()
    _, parameters, fixed = nnx.split(transformer(task), nnx.Param, ...)
    assert len(jax.tree.leaves(parameters)) == 6
    assert len(jax.tree.leaves(fixed)) == 1
