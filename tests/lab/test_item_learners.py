"""Recommenders of the next item against loops in NumPy, and by gradients: who sees what."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.given import Bigram, Constant
from lab.learners.gru import Gru
from lab.learners.item_context import ItemContext
from tasks.item_sequences import Items
from tests.compiled import one_episode

KEY = jax.random.key(0)
C, D, N = 7, 4, 5


@pytest.fixture
def prompt(float64):
    return one_episode(Items(num_context=N, num_items=C, taste_dim=3), KEY).prompt


def item_context(inner):
    return ItemContext(C, D, inner, KEY)


def descending():
    return item_context(GradientDescent(TokenLayout((("x", D + 1),), D), 0.7))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_the_recurrent_network_is_the_one_of_its_equations(prompt):
    gru = Gru(C, D, KEY)
    gru.b_in[...] = jax.random.normal(jax.random.key(1), (3 * D,))
    gru.b_state[...] = jax.random.normal(jax.random.key(2), (3 * D,))
    table, w_in, w_state, b_in, b_state, w_answer = (
        np.asarray(each[...]) for each in (gru.table, gru.w_in, gru.w_state, gru.b_in, gru.b_state, gru.w_answer)
    )
    h, expected = np.zeros(D), []
    for item in np.argmax(prompt.query.x, axis=1):
        by_x = [w_in[k * D : (k + 1) * D] @ table[item] + b_in[k * D : (k + 1) * D] for k in range(3)]
        by_h = [w_state[k * D : (k + 1) * D] @ h + b_state[k * D : (k + 1) * D] for k in range(3)]
        reset, update = sigmoid(by_x[0] + by_h[0]), sigmoid(by_x[1] + by_h[1])
        h = (1 - update) * np.tanh(by_x[2] + reset * by_h[2]) + update * h
        expected.append(w_answer @ h)
    np.testing.assert_allclose(gru(prompt), expected, rtol=0, atol=1e-13)


def test_descent_in_context_is_a_step_from_the_trained_model(prompt):
    """W = W_0 + eta / n sum_i (E'_j - W_0 f_i) f_i^T over the n transitions before the query."""
    learner = descending()
    learner.bias[...] = jax.random.normal(jax.random.key(3), (C,))
    before, after, start, bias = (
        np.asarray(each[...]) for each in (learner.before, learner.after, learner.start, learner.bias)
    )
    items = [*np.argmax(prompt.query.x, axis=1), int(np.argmax(prompt.answers[-1]))]
    features = np.concatenate([before[items], np.ones((len(items), 1))], axis=1)
    for place, answer in enumerate(learner(prompt)):
        step = sum(np.outer(after[items[i + 1]] - start @ features[i], features[i]) for i in range(place))
        model = start + 0.7 / max(place, 1) * step
        np.testing.assert_allclose(answer, after @ (model @ features[place]) + bias, rtol=0, atol=1e-12)
    alone = item_context(Constant(jnp.zeros(D)))(prompt)
    np.testing.assert_allclose(alone[0], learner(prompt)[0] - bias, atol=1e-12)  # the first item has no context


@pytest.mark.parametrize("make", [lambda: Gru(C, D, KEY), descending])
def test_a_place_depends_on_what_is_before_it_alone(make, prompt):
    """By gradients in the items of all places, of the transitions and of the queries."""
    learner = make()

    def answers(one_hot_TxC):
        shown = one_hot_TxC[:-1]
        changed = prompt.replace(
            context=prompt.context.replace(x=shown), answers=one_hot_TxC[1:], query=prompt.query.replace(x=shown)
        )
        return jnp.sum(jnp.tanh(learner(changed)), axis=-1)

    sequence = jnp.concatenate([prompt.query.x, prompt.answers[-1:]])
    reached = np.abs(jax.jacobian(answers)(sequence)).sum(axis=-1) > 0
    np.testing.assert_array_equal(reached, np.tril(np.ones((N, N + 1), bool)))


def test_the_recurrent_network_refuses_what_is_out_of_order(prompt):
    hidden = prompt.replace(visible=prompt.visible.at[3, 1].set(False))
    answers = Gru(C, D, KEY)(hidden)
    np.testing.assert_array_equal(jnp.isnan(answers).any(axis=1), jnp.arange(N) == 3)
    assert jnp.isnan(Gru(C, D, KEY)(prompt.replace(visible=None))).all()


def test_a_counted_chain_answers_by_the_last_item(prompt):
    logits = jax.random.normal(KEY, (C, C))
    expected = np.asarray(logits)[np.argmax(prompt.query.x, axis=1)]
    np.testing.assert_array_equal(Bigram(logits)(prompt), expected)
