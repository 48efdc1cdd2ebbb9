"""The fast-weight Transformer with weights set by hand is its rule's online learner."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.gates import Gate, Gates, TokenGate
from lab.learners.linear_transformer import Shape
from lab.learners.online.construction import constructed_online
from lab.learners.online.hebbian import Hebbian
from lab.learners.online.sgd import OnePass
from tasks.plain import Plain
from tests.lab.makers import KEY, one_prompt
from tests.lab.online_loops import BATCH, CASES

COUNT, INPUTS = 6, 3


def task_of(outputs):
    return Plain(num_context=COUNT, input_dim=INPUTS, output_dim=outputs, num_queries=2)


def gates_of(kind, outputs):
    if kind == "constant":
        return Gates(Gate(jnp.array([0.3])), Gate(jnp.array([0.9])), Gate(jnp.array([0.6])))
    w_3xD = jax.random.normal(KEY, (3, INPUTS + outputs))
    return Gates(*(TokenGate(jnp.array([b]), w[None]) for b, w in zip((-1.0, 2.0, 0.3), w_3xD, strict=True)))


# The construction is the same for every rule, so each rule has one of these rows.
ROWS = (("constant", 3, 2, 1), ("by token", 1, 1, 3), ("by token", 3, 2, 2))


@pytest.mark.parametrize(
    ("name", "kind", "outputs", "heads", "layers"),
    [(name, *row) for name, row in zip(CASES, itertools.cycle(ROWS), strict=False)],
)
def test_the_construction_is_the_learner(name, kind, outputs, heads, layers, float64):
    """After every layer, from a W_0, in both forms, with one block and with a block per layer."""
    _, rule, learner_of = CASES[name]
    task = task_of(outputs)
    layout, prompt, gates = TokenLayout.of(task), one_prompt(task), gates_of(kind, outputs)
    w_0 = 0.5 * jax.random.normal(KEY, (outputs, INPUTS))

    def differences(prompt):
        expected = learner_of(layout, gates, passes=layers, initial_model=w_0).readouts(prompt)
        for recurrent, chunk in ((True, None), (False, BATCH)):
            shape = Shape(layout, num_layers=layers, num_heads=heads, recurrent=recurrent)
            yield constructed_online(shape, rule, gates, w_0, chunk).readouts(prompt) - expected

    results = jax.jit(lambda prompt: [*differences(prompt)])(prompt)
    assert results[0].shape == (layers, 2, outputs)
    assert max(np.abs(each).max() for each in results) < 1e-12


def test_a_hebbian_pass_from_zero_is_a_step_of_gradient_descent(float64):
    task, eta = task_of(2), 0.8
    layout, prompt, gates = TokenLayout.of(task), one_prompt(task), Gates(Gate(jnp.array([0.8 / COUNT])))

    def answers(prompt):
        yield Hebbian(layout, gates).readouts(prompt)
        yield constructed(Shape(layout), eta, COUNT).readouts(prompt)

    np.testing.assert_allclose(*jax.jit(lambda prompt: [*answers(prompt)])(prompt), atol=1e-12)


def test_a_second_pass_goes_on_from_the_first(float64):
    """For the delta rule, two passes are one pass over the examples twice."""
    task = task_of(2)
    layout, prompt, gates = TokenLayout.of(task), one_prompt(task), Gates(Gate(jnp.array([0.3])))
    twice = prompt.replace(
        context=jax.tree.map(lambda a: jnp.concatenate([a, a]), prompt.context),
        answers=jnp.tile(prompt.answers, (2, 1)),
    )
    w_0 = jax.random.normal(KEY, (2, INPUTS))
    two = jax.jit(OnePass(layout, gates, passes=2, initial_model=w_0).__call__)(prompt)
    np.testing.assert_allclose(two, jax.jit(OnePass(layout, gates, initial_model=w_0).__call__)(twice), atol=1e-12)
