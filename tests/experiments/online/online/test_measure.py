"""The measurements of `online`, each against a closed form or a loop in NumPy, and a layer that is its learner."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from analysis.metrics.order import order_sensitivity
from experiments.online.measure import errors, measured
from experiments.online.online import run
from experiments.online.online.layers import ONLINE, layer, learner
from experiments.online.online.settings import Layer
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gates, PositiveGate
from lab.learners.linear_transformer import Shape
from lab.learners.online.construction import constructed_online
from lab.learners.online.steps import Hebbian, OnePass
from tasks.changing_teacher import Drifting
from tests.compiled import sampled

TASK = Drifting(num_context=5, input_dim=3)
LAYOUT = TokenLayout.of(TASK)
RATE = 0.2


@pytest.fixture(scope="module")
def block():
    gates = Gates(PositiveGate(jnp.log(jnp.full(1, RATE))))
    learners = {
        "constants_delta": OnePass(LAYOUT, gates),
        "delta": constructed_online(Shape(LAYOUT), ONLINE[Layer.delta].rule(), gates),
        "linear": Hebbian(LAYOUT, gates),
        "optimal": OnePass(LAYOUT, gates),
    }
    return jax.device_get(measured(learners, TASK, jax.random.key(0), 6, 3))


@pytest.mark.slow
def test_influence_of_the_delta_rule(block):
    """c_t = beta x_t . prod_{s>t} (I - beta x_s x_s^T) x_query, and the answer is their sum over targets."""
    episodes = sampled(TASK, jax.random.split(jax.random.key(0))[0], 6)
    for b in range(6):
        x, query = np.asarray(episodes.prompt.context.x[b]), np.asarray(episodes.prompt.query.x[b, 0])
        expected = np.zeros(5)
        for t in reversed(range(5)):
            expected[t] = RATE * x[t] @ query
            query = query - RATE * x[t] * (x[t] @ query)
        np.testing.assert_allclose(block["constants_delta"]["influence"][b], expected, atol=1e-5)
        answer = expected @ np.asarray(episodes.prompt.answers[b, :, 0])
        error = (answer - episodes.target[b, 0, 0]) ** 2
        np.testing.assert_allclose(block["constants_delta"]["error"][b], error, atol=1e-5)


def test_errors_in_training_are_mean_squared_errors_of_each_seed():
    """Of two seeds with learners and episodes of their own, beside a loop over both."""
    rates, keys = jnp.array([0.1, 0.3]), jax.random.split(jax.random.key(1))
    two = jax.vmap(lambda rate: OnePass(LAYOUT, Gates(PositiveGate(jnp.log(rate[None])))))(rates)
    measured_P = errors({"delta": two}, TASK, keys, 7)["delta"]
    for rate, key, error in zip(rates, keys, measured_P, strict=True):
        episodes = sampled(TASK, key, 7)
        answers = jax.vmap(OnePass(LAYOUT, Gates(PositiveGate(jnp.log(rate[None])))))(episodes.prompt)
        assert error == pytest.approx(float(np.mean((answers - episodes.target) ** 2)), rel=1e-5)


def test_the_order_matters_to_one_pass_and_not_to_a_batch(block):
    np.testing.assert_allclose(block["linear"]["spread"], 0, atol=1e-10)
    assert (block["delta"]["spread"] > 1e-6).all()


def test_its_order_sensitivity_is_that_of_the_metric(block):
    """On the same episodes and orders."""
    key_episodes, key_orders = jax.random.split(jax.random.key(0))
    learner = OnePass(LAYOUT, Gates(PositiveGate(jnp.log(jnp.full(1, RATE)))))
    expected = order_sensitivity(learner, sampled(TASK, key_episodes, 6).prompt, key_orders, 3)
    assert run.of_layer("delta", block)["order"] == pytest.approx(float(expected), rel=1e-4)


def test_a_layer_with_weights_set_by_hand_is_its_learner(block):
    row = run.of_layer("delta", block)
    assert row["cosine"] == pytest.approx(1, abs=1e-5)
    assert row["query_cosine"] == pytest.approx(1, abs=1e-5)
    assert row["error"] == pytest.approx(row["constants_error"], rel=1e-5)
    assert row["excess"] == pytest.approx(0, abs=1e-6)
    places = run.by_place("delta", block)
    assert [row["place"] for row in places] == [1, 2, 3, 4, 5]
    for row in places:
        assert row["influence"] == pytest.approx(row["constants_influence"], rel=1e-4)
        assert (row["rate"], row["constants_rate"]) == (pytest.approx(RATE), pytest.approx(RATE))
        assert (row["decay"], row["momentum"]) == (1, 0)


@pytest.mark.parametrize("name", ONLINE)
def test_what_is_trained_of_a_learner_is_its_constants(name):
    """And of a layer its four matrices, W_0 and gates, but no decay that its learner has not."""
    constants = {Layer.decayed: 2, Layer.gated: 2, Layer.mesa: 2, Layer.momentum: 3, Layer.places: 5}.get(name, 1)
    assert count(learner(name, LAYOUT, 5)) == constants
    gates = 5 if name is Layer.places else constants * (1 + LAYOUT.token_dim)
    assert count(layer(name, LAYOUT, 5, jax.random.key(0), 1.0)) == 5 * LAYOUT.token_dim**2 + gates


def count(model):
    return sum(leaf.size for leaf in jax.tree.leaves(nnx.state(model, nnx.Param)))
