"""Attention between linear and softmax, and softmax as a dual model's step, against sums in NumPy."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.attention.linear import Linear
from lab.attention.momentum import LearnedMomentum, Momentum
from lab.attention.softmax import Softmax
from lab.attention.taylor import MeanLinear, StartNormaliser, Taylor
from lab.features import FEATURE_MAPS
from lab.learners.dual_step import DualStep
from tests.lab.online_loops import CASES as RULES

TOKENS, WIDTH, OUT = 6, 3, 2
INSTRUCTIONS = 2


@pytest.fixture
def arrays(float64):
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal((TOKENS, width)) for width in (WIDTH, WIDTH, OUT))
    return q, k, v, np.tril(np.ones((TOKENS, TOKENS), bool)), random.standard_normal((TOKENS, TOKENS))


def by_hand(weight, normaliser, q, k, v, mask, bias):
    """weight: score -> weight. normaliser: (token, {key: weight} of the keys that it sees) -> what the sum is divided
    by."""
    out = np.zeros((TOKENS, OUT))
    for t in range(TOKENS):
        weights = {s: weight(q[t] @ k[s] + bias[t, s]) for s in range(TOKENS) if mask[t, s]}
        out[t] = sum(value * v[s] for s, value in weights.items()) / normaliser(t, weights)
    return out


def series(degree):
    return lambda score: sum(score**i / math.factorial(i) for i in range(degree + 1))


CASES = {
    "mean": (MeanLinear(), lambda score: score, lambda t, weights: len(weights)),
    "degree 1": (Taylor(1), series(1), lambda t, weights: sum(weights.values())),
    "degree 4": (Taylor(4), series(4), lambda t, weights: sum(weights.values())),
    "start": (
        StartNormaliser(INSTRUCTIONS),
        math.exp,
        lambda t, weights: sum(value for s, value in weights.items() if s < INSTRUCTIONS or s == t),
    ),
    "dual step": (DualStep(INSTRUCTIONS), math.exp, lambda t, weights: sum(weights.values())),
}


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(("attention", "weight", "normaliser"), CASES.values(), ids=CASES)
def test_outputs_are_those_by_hand(attention, weight, normaliser, has_bias, arrays):
    q, k, v, mask, bias = arrays
    expected = by_hand(weight, normaliser, q, k, v, mask, bias * has_bias)
    np.testing.assert_allclose(attention(q, k, v, mask, bias if has_bias else None), expected, rtol=1e-11)
    some = slice(1, None, 2)  # queries of some of the tokens are answered alike
    outputs = attention(q[some], k, v, mask[some], bias[some] if has_bias else None)
    np.testing.assert_allclose(outputs, expected[some], rtol=1e-11)
    everything = np.ones_like(mask)
    expected = by_hand(weight, normaliser, q, k, v, everything, bias * has_bias)
    np.testing.assert_allclose(attention(q, k, v, None, bias if has_bias else None), expected, rtol=1e-11)


def test_many_terms_are_softmax_and_scores_may_be_large(arrays):
    q, k, v, mask, _ = arrays
    np.testing.assert_allclose(Taylor(60)(q, k, v, mask), Softmax()(q, k, v, mask), rtol=1e-10)
    finite = StartNormaliser(INSTRUCTIONS)(30 * q, -30 * abs(k) * np.sign(q[-1]), v, mask)
    assert np.isfinite(finite[-1]).all()


NUMBER = jnp.zeros(())
OF_ONE_FORM = [  # attention with a mask, feature maps, rules of writing
    [Softmax(), Linear(), MeanLinear(), Taylor(INSTRUCTIONS), StartNormaliser(INSTRUCTIONS), DualStep(INSTRUCTIONS),
     Momentum(NUMBER, NUMBER), LearnedMomentum(nnx.Param(NUMBER))],
    [kind(jnp.zeros((1, 1))) for kind in FEATURE_MAPS.values()],
    [rule for _, rule, _ in RULES.values()],
]  # fmt: skip


@pytest.mark.parametrize("kinds", OF_ONE_FORM, ids=lambda kinds: type(kinds[0]).__name__)
def test_each_is_a_program_of_its_own(kinds):
    """JAX compares pytrees by their fields: without a field that differs another class's program would run."""
    structures = [jax.tree.structure(each) for each in kinds]
    assert not [(a, b) for a, b in itertools.combinations(structures, 2) if a == b]
