"""Layers with fast weights: both forms and the online learner, each against a plain loop in NumPy; and their gates."""

import csv
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.attention.fast_weights.delta import Delta
from lab.attention.fast_weights.mesa import Mesa
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.rule import Tokens, chunkwise, recurrent
from lab.attention.solve import inverse_one_plus
from lab.layouts.merged import TokenLayout
from lab.learners.gates import FixedGate, Gate, Gates, PlaceGate, PositiveGate, ShareGate, TokenGate, of_heads
from lab.learners.online.steps import OnePass
from tests.command_line import ROOT
from tests.lab.online_identities import COUNT, KEYS, VALUES, from_the_loop, limits, tokens_of
from tests.lab.online_loops import CASES, PENALTY


@pytest.mark.parametrize("name", CASES)
def test_both_forms_and_the_learner_are_the_loop(name, float64):
    assert max(from_the_loop(name).values()) < 1e-12


def test_limits(float64):
    """Rules that are others for special numbers."""
    assert max(limits().values()) < 1e-12


def test_the_kept_table_of_identities_has_them_all(float64):
    with open(ROOT / "docs/results/online_identities.csv", encoding="utf-8") as file:
        rows = {(row["layer"], row["identity"]): float(row["deviation"]) for row in csv.DictReader(file)}
    named = {
        (name, each) for name in CASES for each in ("token by token", "chunk by chunk", "learner", "weights by hand")
    }
    assert {*rows} == named | {("", each) for each in limits()}
    assert 0 < max(rows.values()) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("rule", [Delta(), MomentumMemory(), Mesa(PENALTY)], ids=lambda rule: type(rule).__name__)
def test_both_forms_have_the_same_derivatives(rule, float64):
    w_0, tokens, queries = tokens_of()

    def loss(form, *options):
        return jax.grad(lambda w_0, tokens: jnp.sum(form(rule, w_0, tokens, queries, *options)[1] ** 2), (0, 1))

    results = jax.jit(lambda *arguments: (loss(recurrent)(*arguments), loss(chunkwise, 4)(*arguments)))(w_0, tokens)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-10), *results)


def test_a_gradient_keeps_one_state_per_chunk(float64):
    """And no matrix of a chunk's tokens, of which there are many."""
    w_0, tokens, queries = tokens_of(64)
    _, back = jax.vjp(lambda w_0, tokens: chunkwise(Delta(), w_0, tokens, queries, 4)[1], w_0, tokens)
    shapes = [leaf.shape for leaf in jax.tree.leaves(back)]
    assert [shape for shape in shapes if shape[0] != 64] == [(16, VALUES, KEYS), (16,)]


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_the_inverse_by_blocks(size, float64):
    a = np.tril(np.random.default_rng(0).normal(size=(size, size)), -1)
    np.testing.assert_allclose(inverse_one_plus(jnp.asarray(a)), np.linalg.inv(np.eye(size) + a), atol=1e-12)


@pytest.mark.parametrize(("forgets", "size"), [(5, 8), (COUNT, 16)])
def test_a_gate_may_be_zero_and_a_sequence_shorter_than_a_chunk(forgets, size, float64):
    """A token that forgets everything: products of gates divide by none."""
    w_0, tokens, queries = tokens_of()
    tokens = dataclasses.replace(tokens, decays=np.where(np.arange(COUNT) == forgets, 0.0, tokens.decays))

    @jax.jit
    def both(w_0, tokens, queries):
        return recurrent(Delta(), w_0, tokens, queries), chunkwise(Delta(), w_0, tokens, queries, size)

    forms = both(w_0, tokens, queries)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-12), *forms)


def test_the_best_rate_of_one_pass(float64):
    """For x ~ N(0, I) a step multiplies E |W - W*|^2 by 1 - 2 beta + beta^2 (d + 2). Within 5 standard errors."""
    draw, dim = np.random.default_rng(0), 5
    learner = OnePass(TokenLayout((("x", dim),), 1), Gates(Gate(jnp.ones(1))))
    for rate in (1 / (dim + 2), 0.25):
        x, error = draw.normal(size=(20_000, 1, dim)), draw.normal(size=(20_000, 1, dim))
        ones = jnp.ones((20_000, 1))
        tokens = Tokens(x, jnp.zeros((20_000, 1, 1)), rate * ones, ones, ones)
        left = jax.jit(jax.vmap(learner.fit))(error, tokens)
        shares = np.sum(np.asarray(left) ** 2, axis=(1, 2)) / dim
        expected = 1 - 2 * rate + rate**2 * (dim + 2)
        assert abs(shares.mean() - expected) < 5 * shares.std() / np.sqrt(len(shares))


TOKENS = jax.random.normal(jax.random.key(0), (3, 2))


def trained(gates):
    return len(jax.tree.leaves(nnx.state(gates, nnx.Param)))


def test_only_gates_that_are_given_are_trained():
    """A delta rule whose decay were trained would be a gated one."""
    assert trained(Gates(Gate(jnp.ones(1)))) == 1
    assert trained(Gates(FixedGate(jnp.ones(1)), Gate(jnp.ones(1)))) == 1
    rates, decays, momenta = Gates(Gate(jnp.full(2, 0.3)))(TOKENS)
    np.testing.assert_array_equal(rates, np.full((2, 3), 0.3, np.float32))
    np.testing.assert_array_equal([decays, momenta], [np.ones((2, 3)), np.zeros((2, 3))])


def test_values_of_gates():
    log_HxT = jnp.log(jnp.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_allclose(PositiveGate(jnp.log(jnp.array([0.2])))(TOKENS), [[0.2] * 3], rtol=1e-6)
    np.testing.assert_allclose(ShareGate(jnp.array([jnp.log(4.0)]))(TOKENS), [[0.8] * 3], rtol=1e-6)
    np.testing.assert_allclose(PlaceGate(log_HxT)(TOKENS), [[1, 2, 3]], rtol=1e-6)
    w_1xD = jnp.array([[0.5, -1.0]])
    expected = 3 / (1 + np.exp(-(0.2 + TOKENS @ np.array([0.5, -1.0]))))
    np.testing.assert_allclose(TokenGate(jnp.array([0.2]), w_1xD, 3.0)(TOKENS)[0], expected, rtol=1e-5)
    repeated = of_heads(Gates(PlaceGate(log_HxT)), 2)(TOKENS)
    assert [each.shape for each in repeated] == [(2, 3)] * 3


def test_gates_of_places_refuse_other_lengths():
    with pytest.raises(ValueError, match="3 tokens: there are gates of 4 places"):
        PlaceGate(jnp.zeros((1, 4)))(TOKENS)
