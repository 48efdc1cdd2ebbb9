"""Momentum attention against its recursion, and the decoder of sequences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.attention.momentum import LearnedMomentum, Momentum, moving_average, previous_token
from lab.attention.softmax import Softmax
from lab.config.choices import Position
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Merged
from lab.learners.decoder import with_attention
from lab.learners.decoder_shape import Shape
from lab.learners.sequence import SequenceDecoder
from tasks.symbols import Markov
from tests.compiled import one_episode

T, A, C = 6, 3, 2
KEY = jax.random.key(0)
CAUSAL = jnp.tril(jnp.ones((T, T), bool))


def qkv():
    return [jax.random.normal(key, (T, width)) for key, width in zip(jax.random.split(KEY, 3), (A, A, C), strict=True)]


def test_momentum_is_the_recursion(float64):
    """1e-14: sums of six numbers of the size 1."""
    q, k, v = qkv()
    eta = jnp.array(0.7)
    added = moving_average(eta)(q, k, v, CAUSAL) - Softmax()(q, k, v, CAUSAL)
    state = np.zeros(C)
    for t in range(T):
        np.testing.assert_allclose(added[t], state, rtol=0, atol=1e-14)
        state = 0.7 * (state + np.asarray(v[t]))
    sums = moving_average(eta).weights(jnp.tril(jnp.ones((200, 200), bool))).sum(axis=1)
    np.testing.assert_allclose(sums[jnp.array([0, 1, -1])], [0.0, 0.7, 0.7 / 0.3], rtol=0, atol=1e-12)


def test_its_limits_are_softmax_attention_and_the_previous_token(float64):
    """At eta = 1e-9 the average is not larger than 1e-9 times the values, whose largest is below 4."""
    q, k, v = qkv()
    plain = Softmax()(q, k, v, CAUSAL)
    for none in (Momentum(jnp.array(0.0), jnp.array(0.0)), moving_average(jnp.array(0.0))):
        np.testing.assert_array_equal(none(q, k, v, CAUSAL), plain)
    np.testing.assert_allclose(moving_average(jnp.array(1e-9))(q, k, v, CAUSAL), plain, rtol=0, atol=4e-9)
    added = previous_token(jnp.array(0.5))(q, k, v, CAUSAL) - plain
    np.testing.assert_allclose(added, jnp.concatenate([jnp.zeros((1, C)), 0.5 * v[:-1]]), rtol=0, atol=1e-14)


def test_tokens_that_are_not_seen_do_not_count(float64):
    """A query that sees tokens 0, 2 and itself has the distance 1 to token 2 and 2 to token 0."""
    mask = jnp.array([[True, False, True, False, True, False]])
    weights = moving_average(jnp.array(0.5)).weights(mask)
    np.testing.assert_allclose(weights, [[0.25, 0.0, 0.5, 0.0, 0.0, 0.0]], rtol=0, atol=1e-15)
    q, k, v = qkv()
    alone = moving_average(jnp.array(0.5))(q[:1], k, v)  # without a mask it sees all, and is the last
    np.testing.assert_allclose(
        alone - Softmax()(q[:1], k, v), [(0.5 ** np.arange(5, -1, -1))[:-1] @ v[:-1]], atol=1e-14
    )


def test_a_learned_eta_has_the_gradient_of_the_average(float64):
    q, k, v = qkv()
    learned = LearnedMomentum(nnx.Param(jnp.array(0.3)))
    eta = jax.nn.sigmoid(0.3)
    np.testing.assert_array_equal(learned(q, k, v, CAUSAL), moving_average(eta)(q, k, v, CAUSAL))

    def total(logit):
        return jnp.sum(LearnedMomentum(nnx.Param(logit))(q, k, v, CAUSAL))

    lags = np.arange(T)[:, None] - np.arange(T)[None]
    slope = np.where(lags > 0, lags * float(eta) ** np.maximum(lags - 1, 0), 0.0) @ np.asarray(v)
    np.testing.assert_allclose(jax.grad(total)(jnp.array(0.3)), slope.sum() * eta * (1 - eta), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("positions", [Position.learned, Position.rope])
def test_a_place_depends_on_what_is_before_it_alone(positions, float64):
    """By gradients: exactly zero with respect to later symbols, and not zero with respect to earlier ones."""
    task = Markov(num_context=T, num_symbols=3)
    shape = Shape(Merged(TokenLayout.of(task)), T, width=8, num_layers=2, num_heads=2, num_groups=2, mlp_width=5,
                  instructions=0, positions=positions)  # fmt: skip
    attention = moving_average(jnp.array([0.5, 0.2]))
    plain = jax.jit(lambda key: SequenceDecoder(shape, key))(KEY)
    decoder = with_attention(plain, [attention, attention])
    prompt = one_episode(task, KEY).prompt

    def answers(x):
        return jnp.sum(jnp.tanh(decoder(prompt.replace(query=prompt.query.replace(x=x)))), axis=-1)

    jacobian = jnp.abs(jax.jit(jax.jacobian(answers))(prompt.query.x)).sum(axis=-1)
    np.testing.assert_array_equal(jacobian > 0, CAUSAL)
    answer = jax.jit(lambda model, prompt: model(prompt))
    nothing = with_attention(decoder, [Momentum(jnp.zeros(2), jnp.zeros(2))] * 2)
    np.testing.assert_allclose(answer(nothing, prompt), answer(plain, prompt), rtol=0, atol=1e-13)
    hidden = prompt.replace(visible=prompt.visible.at[3, 1].set(False))
    np.testing.assert_array_equal(jnp.isnan(answer(decoder, hidden)).any(axis=1), jnp.arange(T) == 3)
    assert jnp.isnan(answer(decoder, prompt.replace(visible=None))).all()
