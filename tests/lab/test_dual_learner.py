"""The decoder as gradient descent: its answers, by steps in kernel form and by automatic differentiation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab import dual
from lab.config.choices import AttentionKind
from lab.features.gram import gram_features
from lab.learners.dual import Dual
from lab.learners.learner import Layered
from tests.lab.test_decoder import CASES, decoder_of, prefixes, prompt_of

SOFTMAX = [i for i, case in enumerate(CASES) if case.get("attention") is not AttentionKind.linear]
LINEAR = next(i for i in range(len(CASES)) if i not in SOFTMAX)


@pytest.mark.parametrize("case", SOFTMAX, ids=lambda case: "-".join(map(str, CASES[case])) or "plain")
def test_the_answers_are_the_decoders_after_every_layer(case, float64):
    decoder, prompt = decoder_of(case, True), prompt_of(prefixes(0, 2, 4))
    learner = Dual(decoder)
    assert isinstance(learner, Layered)
    answers, expected = (
        jax.jit(lambda each, prompt: each.readouts(prompt))(each, prompt) for each in (learner, decoder)
    )
    np.testing.assert_allclose(answers, expected, rtol=0, atol=1e-9)


def test_it_is_the_same_function_of_the_query(float64):
    """Scales and secants at the actual input are functions of the query too: derivatives agree as well."""
    decoder, prompt = decoder_of(4, True), prompt_of()
    direction = jnp.sin(jnp.arange(prompt.query.x.size)).reshape(prompt.query.x.shape)

    @jax.jit
    def slope(learner):
        def answer(x):
            return learner(prompt.replace(query=prompt.query.replace(x=x)))

        x = prompt.query.x
        return jnp.tensordot(jax.jacrev(answer)(x), direction, x.ndim)

    np.testing.assert_allclose(slope(Dual(decoder)), slope(decoder), rtol=0, atol=1e-9)


def by_automatic_differentiation(q_QxA, keys_SxA, values_SxC, instructions_S, demonstrations_S, rate=0.7):
    """`dual.attend` with phi written out and L(W) = -(1 / beta) sum_i w_i (v_i, 1) . W phi(k_i) differentiated."""
    features_PxF = gram_features(jnp.concatenate([keys_SxA, q_QxA]))
    features_SxF, features_QxF = jnp.split(features_PxF, [len(keys_SxA)])
    values_SxC = jnp.concatenate([values_SxC, jnp.ones((len(values_SxC), 1))], axis=1)

    def loss(model_CxF):
        return -jnp.einsum("s,sc,cf,sf->", demonstrations_S, values_SxC, model_CxF, features_SxF) / rate

    start_CxF = jnp.einsum("s,sc,sf->cf", instructions_S, values_SxC, features_SxF)
    answers_QxC = features_QxF @ (start_CxF - rate * jax.grad(loss)(start_CxF)).T
    return answers_QxC[:, :-1] / answers_QxC[:, -1:]


def test_the_step_is_that_of_a_loss_in_explicit_features(float64, monkeypatch):
    """Rotary positions, one group of heads: the features are those of turned keys, and all heads ask one model."""
    decoder, prompt = decoder_of(2, True), prompt_of()
    trace = jax.jit(lambda decoder, prompt: decoder.trace(prompt))(decoder, prompt)
    # The error is relative to a token's own kernel sum: here the kernel values must not differ by too many digits.
    assert np.abs(trace.scores).max() < 10
    calls = []

    def attend(*arguments):
        calls.append(len(arguments[0]))
        return by_automatic_differentiation(*arguments)

    monkeypatch.setattr(dual, "attend", attend)
    # Without jit, one eigendecomposition after the other: see lab/features/gram.py.
    np.testing.assert_allclose(Dual(decoder)(prompt), trace.readouts[-1], rtol=0, atol=1e-9)
    assert calls == [4, 4], "all heads of the group ask one model, in both layers"


def test_another_attention_has_no_dual_model(float64):
    with pytest.raises(ValueError, match="this decoder has Linear"):
        Dual(decoder_of(LINEAR, True))


def test_a_query_that_the_decoder_cannot_answer_has_no_answer_here(float64):
    hidden = jnp.array([[True, False, True, True]] * 3)
    assert np.isnan(jax.jit(Dual(decoder_of(0, True)))(prompt_of(hidden))).all()
