"""Layers with fast weights: both forms and the online learner, each against a plain loop in NumPy."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.attention.fast_weights.delta import Delta
from lab.attention.fast_weights.implicit import Implicit
from lab.attention.fast_weights.mesa import Mesa
from lab.attention.fast_weights.momentum import MomentumMemory
from lab.attention.fast_weights.rule import Tokens, chunkwise, recurrent
from lab.attention.solve import inverse_one_plus
from lab.layouts.merged import TokenLayout
from lab.learners.gates import Gate, Gates
from lab.learners.online.sgd import OnePass
from tests.lab.online_loops import BATCH, CASES, PENALTY

COUNT, KEYS, VALUES = 11, 3, 2  # two chunks of 4, and 3 tokens more


def tokens_of(count=COUNT, decays=None):
    """Gates that differ from token to token, W_0 and queries."""
    draw: Any = np.random.default_rng(1)
    decay_N = draw.uniform(0.6, 1, count) if decays is None else jnp.full(count, decays)
    gates = draw.uniform(0.05, 0.3, count), decay_N, draw.uniform(0.2, 0.8, count)
    tokens = Tokens(draw.normal(size=(count, KEYS)), draw.normal(size=(count, VALUES)), *gates)
    return draw.normal(size=(VALUES, KEYS)), tokens, draw.normal(size=(count, KEYS))


def in_loop(loop, w_0, tokens):
    return np.array([*loop(w_0, [*zip(*vars(tokens).values(), strict=True)])])


@pytest.mark.parametrize("name", CASES)
def test_both_forms_and_the_learner_are_the_loop(name, float64):
    loop, rule, learner = CASES[name]
    w_0, tokens, queries = tokens_of()
    w_TxVxK = in_loop(loop, w_0, tokens)
    layout = TokenLayout((("x", KEYS),), VALUES)

    @jax.jit
    def everything(w_0, tokens, queries):
        gates = Gates(Gate(jnp.ones(1)))
        fitted = learner(layout, gates).fit(w_0, tokens)
        return recurrent(rule, w_0, tokens, queries), chunkwise(rule, w_0, tokens, queries, BATCH), fitted

    *forms, fitted = everything(w_0, tokens, queries)
    for last, outputs in forms:
        np.testing.assert_allclose(last, w_TxVxK[-1], atol=1e-12, rtol=0)
        np.testing.assert_allclose(outputs, np.einsum("tvk,tk->tv", w_TxVxK, queries), atol=1e-12, rtol=0)
    np.testing.assert_allclose(fitted, w_TxVxK[-1], atol=1e-12, rtol=0)


@pytest.mark.parametrize("rule", [Delta(), MomentumMemory(), Mesa(PENALTY)], ids=lambda rule: type(rule).__name__)
def test_both_forms_have_the_same_derivatives(rule, float64):
    w_0, tokens, queries = tokens_of()

    def loss(form, *options):
        return jax.grad(lambda w_0, tokens: jnp.sum(form(rule, w_0, tokens, queries, *options)[1] ** 2), (0, 1))

    results = jax.jit(lambda *arguments: (loss(recurrent)(*arguments), loss(chunkwise, 4)(*arguments)))(w_0, tokens)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-10), *results)


def test_limits(float64):
    """Rules that are others for special numbers, from the table of section 1 of each file."""
    w_0, tokens, queries = tokens_of(decays=1.0)

    def last(rule, w_0=w_0, tokens=tokens):
        return jax.jit(recurrent)(rule, w_0, tokens, queries)[0]

    def alike(a, b):
        np.testing.assert_allclose(a, b, atol=1e-12, rtol=0)

    alike(last(MomentumMemory(), tokens=dataclasses.replace(tokens, momenta=np.zeros(COUNT))), last(Delta()))
    square_N = np.sum(np.asarray(tokens.keys) ** 2, axis=1)
    kaczmarz = last(Delta(), tokens=dataclasses.replace(tokens, rates=1 / square_N))
    alike(kaczmarz @ tokens.keys[-1], tokens.values[-1])
    alike(last(Implicit(), tokens=dataclasses.replace(tokens, rates=np.full(COUNT, 1e15))), kaczmarz)


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_the_inverse_by_blocks(size, float64):
    a = np.tril(np.random.default_rng(0).normal(size=(size, size)), -1)
    np.testing.assert_allclose(inverse_one_plus(jnp.asarray(a)), np.linalg.inv(np.eye(size) + a), atol=1e-12)


def test_a_gate_may_be_zero(float64):
    """A token that forgets everything: products of gates divide by none."""
    w_0, tokens, queries = tokens_of()
    tokens = dataclasses.replace(tokens, decays=np.where(np.arange(COUNT) == 5, 0.0, tokens.decays))

    @jax.jit
    def both(w_0, tokens, queries):
        return recurrent(Delta(), w_0, tokens, queries), chunkwise(Delta(), w_0, tokens, queries, 8)

    forms = both(w_0, tokens, queries)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-12), *forms)


def test_a_sequence_may_be_shorter_than_a_chunk(float64):
    w_0, tokens, queries = tokens_of()

    @jax.jit
    def both(w_0, tokens, queries):
        return recurrent(Delta(), w_0, tokens, queries), chunkwise(Delta(), w_0, tokens, queries, 16)

    forms = both(w_0, tokens, queries)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-12), *forms)


@pytest.mark.parametrize("dim", [5])
def test_the_best_rate_of_one_pass(dim, float64):
    """For x ~ N(0, I) a step multiplies E |W - W*|^2 by 1 - 2 beta + beta^2 (d + 2). Within 5 standard errors."""
    draw: Any = np.random.default_rng(0)
    learner = OnePass(TokenLayout((("x", dim),), 1), Gates(Gate(jnp.ones(1))))
    for rate in (1 / (dim + 2), 0.25):
        x, error = draw.normal(size=(20_000, 1, dim)), draw.normal(size=(20_000, 1, dim))
        ones = jnp.ones((20_000, 1))
        tokens = Tokens(x, jnp.zeros((20_000, 1, 1)), rate * ones, ones, ones)
        left = jax.jit(jax.vmap(learner.fit))(error, tokens)
        shares = np.sum(np.asarray(left) ** 2, axis=(1, 2)) / dim
        expected = 1 - 2 * rate + rate**2 * (dim + 2)
        assert abs(shares.mean() - expected) < 5 * shares.std() / np.sqrt(len(shares))
