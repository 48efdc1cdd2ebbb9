"""Fast-weight Transformers with weights set by hand are their rule's online learner; passes with rates of their own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.attention.fast_weights.delta import Delta
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gate, Gates
from lab.learners.linear_transformer import Shape
from lab.learners.online.construction import constructed_online
from lab.learners.online.learner import Passes
from lab.learners.online.steps import OnePass
from tasks.plain import Plain
from tests.lab.makers import KEY, one_prompt
from tests.lab.online_identities import from_the_learner
from tests.lab.online_loops import CASES

RATES = (0.3, 0.1, 0.2)
TASK = Plain(num_context=6, input_dim=3, output_dim=2, num_queries=2)
LAYOUT = TokenLayout.of(TASK)


def gates_of(rate):
    return Gates(Gate(jnp.array([rate])))


def passes(rates=RATES, w_0=None):
    first, *others = (gates_of(rate) for rate in rates)
    return Passes([OnePass(LAYOUT, first, initial_model=w_0), *(OnePass(LAYOUT, each) for each in others)])


@pytest.mark.parametrize("name", CASES)
def test_the_construction_is_the_learner(name, float64):
    assert from_the_learner(name) < 1e-12


def test_they_are_one_walk_through_the_examples(float64):
    """With W as a loop in NumPy moves it, from pass to pass: without decay nothing begins anew."""
    prompt = one_prompt(TASK)
    x, y, queries = (np.asarray(each) for each in (prompt.context.x, prompt.answers, prompt.query.x))
    w, expected = np.asarray(jax.random.normal(KEY, (2, 3))), []
    result = jax.jit(passes(w_0=jnp.asarray(w)).readouts)(prompt)
    for rate in RATES:
        for x_n, y_n in zip(x, y, strict=True):
            w = w - rate * np.outer(w @ x_n - y_n, x_n)
        expected.append(queries @ w.T)
    np.testing.assert_allclose(result, expected, atol=1e-12)


@pytest.mark.parametrize("chunk", [None, 4])
def test_a_stack_with_a_rate_of_each_layer_is_the_passes(chunk, float64):
    """After every layer, token by token and by chunks. Layers in another order are another stack."""
    prompt = one_prompt(TASK)

    def stack(rates):
        shape = Shape(LAYOUT, num_layers=len(rates), recurrent=False)
        model = constructed_online(shape, Delta(), gates_of(rates[0]), chunk=chunk)
        for block, rate in zip(model.blocks, rates, strict=True):
            block.gates = gates_of(rate)
        return jax.jit(model.readouts)(prompt)

    expected = jax.jit(passes().readouts)(prompt)
    np.testing.assert_allclose(stack(RATES), expected, atol=1e-12)
    assert np.max(np.abs(stack(RATES[::-1])[-1] - expected[-1])) > 1e-3


def test_passes_with_one_rate_are_those_of_the_learner(float64):
    prompt, w_0 = one_prompt(TASK), jax.random.normal(KEY, (2, 3))
    expected = jax.jit(OnePass(LAYOUT, gates_of(0.2), passes=3, initial_model=w_0).readouts)(prompt)
    np.testing.assert_allclose(jax.jit(passes([0.2] * 3, w_0).readouts)(prompt), expected, atol=1e-12)
