"""Order sensitivity: exact values for two examples, 0 for learners of a set, and orders that move what belongs
together. tests/lab/test_learners.py holds the learners of the lab to it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.order import in_orders, order_sensitivity, reordered, spread_and_size
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gate, Gates
from lab.learners.online.steps import Hebbian, OnePass
from lab.learners.ridge import Ridge
from tasks.plain import Plain
from tests.lab.makers import KEY, one_prompt, prompts_of
from tests.lab.online_loops import CASES

RATE, DECAY = 0.3, 0.8
SETS = ("additive", "mesa", "mesa_by_gradients")  # of the set of examples, without decays


@pytest.mark.parametrize("decay", [1.0, DECAY])
def test_two_examples_by_hand(decay, float64):
    """From W = 0 the orders 1, 2 and 2, 1 of the gated delta rule differ by

    beta (alpha - 1) (y_1 x_1.q - y_2 x_2.q) + alpha beta^2 x_1.x_2 (y_2 x_1.q - y_1 x_2.q):

    by the decay in first order of the rate, without one in second order.
    """
    task = Plain(num_context=2, input_dim=3)
    prompt = one_prompt(task)
    learner = OnePass(TokenLayout.of(task), Gates(Gate(jnp.array([RATE])), Gate(jnp.array([decay]))))
    answers = np.asarray(in_orders(learner, prompt, jnp.array([[0, 1], [1, 0]])))[:, 0, 0]
    (x_1, x_2), q, (y_1, y_2) = prompt.context.x, prompt.query.x[0], prompt.answers[:, 0]
    first_order = RATE * (decay - 1) * (y_1 * x_1 @ q - y_2 * x_2 @ q)
    expected = first_order + decay * RATE**2 * x_1 @ x_2 * (y_2 * x_1 @ q - y_1 * x_2 @ q)
    np.testing.assert_allclose(answers[0] - answers[1], expected, rtol=1e-12)
    spread, size = spread_and_size(jnp.asarray(answers)[:, None, None])
    np.testing.assert_allclose([spread, size], [expected**2 / 2, np.mean(answers**2)], rtol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_a_learner_of_the_set_has_none_and_one_of_the_sequence_has_some(name, float64):
    """Without decays and momentum a sum and a least-squares solution have no order. A decay gives them one."""
    task = Plain(num_context=6, input_dim=3, output_dim=2)
    prompts, (_, _, learner_of) = prompts_of(task, 4), CASES[name]

    def of(decay):
        learner = learner_of(TokenLayout.of(task), Gates(Gate(jnp.array([RATE])), Gate(jnp.array([decay]))))
        return jax.jit(lambda prompts: order_sensitivity(learner, prompts, KEY))(prompts)

    without, decaying = of(1.0), of(DECAY)
    assert without < 1e-13 if name in SETS else without > 1e-2
    assert decaying > 1e-2


def test_examples_move_with_all_that_belongs_to_them(float64):
    """A query that sees two examples sees these two in every order, and ridge regression's answer stays."""
    task = Plain(num_context=5, input_dim=3, num_queries=2)
    seen = jnp.array([[True, False, True, False, False], [True, True, True, True, False]])
    prompt, order_N = one_prompt(task).replace(visible=seen), jnp.array([4, 2, 0, 1, 3])
    turned, ridge = reordered(prompt, order_N), Ridge(TokenLayout.of(task), 0.1)
    assert turned.visible is not None
    np.testing.assert_array_equal(turned.visible[0], [False, True, True, False, False])
    np.testing.assert_array_equal(turned.answers, prompt.answers[order_N])
    np.testing.assert_allclose(ridge(turned), ridge(prompt), rtol=1e-12)
    assert not np.allclose(ridge(turned), ridge(prompt.replace(visible=None)))


def test_the_unit_is_the_size_of_the_answer(float64):
    task = Plain(num_context=6, input_dim=3)
    layout, prompts = TokenLayout.of(task), prompts_of(task, 4)
    one, thousand = (
        order_sensitivity(Hebbian(layout, Gates(Gate(jnp.array([rate])), Gate(jnp.array([0.5])))), prompts, KEY)
        for rate in (1.0, 1000.0)
    )
    np.testing.assert_allclose(one, thousand, rtol=1e-12)
