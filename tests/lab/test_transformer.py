"""The forward pass, and its attention."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.attention.linear import linear_attention
from lab.attention.recursion import is_cheaper
from lab.config.choices import Injection
from tasks.catalogue import TASKS
from tests.lab import reference
from tests.lab.makers import KEY, NAMES, answer, one_prompt, prompts_of, transformer


@pytest.mark.parametrize(
    ("name", "injection"),
    [(name, how) for name in NAMES for how in Injection if how.value == "pooled" or name == "rag_dot"],
)
@pytest.mark.parametrize(
    ("num_layers", "num_heads", "num_context", "recurrent"), [(1, 1, 4, True), (2, 2, 4, False), (3, 1, 40, True)]
)
def test_transformer_is_the_all_token_forward(name, injection, recurrent, num_layers, num_heads, num_context, float64):
    """The short cuts (merged products, recursion for the longer context, the query's y-slot alone) change nothing."""
    task = TASKS[name](input_dim=2, num_context=num_context, output_dim=2, num_queries=2)
    model = transformer(task, num_layers=num_layers, num_heads=num_heads, recurrent=recurrent, injection=injection)
    model.initial_model[...] = jax.random.normal(KEY, model.initial_model.shape)
    prompt = one_prompt(task)
    expected = reference.all_token_transformer(model, prompt)
    np.testing.assert_allclose(jax.jit(lambda p: model(p))(prompt), expected, rtol=1e-11, atol=1e-12)


def test_documents_reach_the_prediction():
    task = TASKS["rag_dot"]()
    prompts = prompts_of(task, 3)
    more = prompts.replace(documents=2 * prompts.documents)
    model = transformer(task)
    assert np.abs(answer(model, more) - answer(model, prompts)).min() > 0


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 6), st.integers(1, 6))
def test_linear_attention_is_the_sum(queries, keys, width, out):
    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-3, 4, size).astype(np.float32) for size in ((queries, width), (keys, width), (keys, out)))
    expected = [[sum(v[s, c] * (k[s] @ q[t]) for s in range(keys)) for c in range(out)] for t in range(queries)]
    np.testing.assert_array_equal(linear_attention(jnp.array(q), jnp.array(k), jnp.array(v)), expected)


@pytest.mark.parametrize(("context", "recursion"), [(10, False), (1000, True)])
def test_a_long_context_costs_one_gram_matrix(context, recursion):
    """Operations that XLA counts of five layers: by tokens each example costs every layer, by recursion only the first
    Gram matrix, 2 D^2, and little else."""
    task = TASKS["plain"](num_context=context)
    assert is_cheaper(5, context, 11, 1) == recursion
    model, prompt = transformer(task, num_layers=5), one_prompt(task)
    flops = jax.jit(lambda p: model(p)).lower(prompt).compile().cost_analysis()["flops"]
    assert (flops < 2.5 * 11**2 * context) == recursion


def test_linear_attention_is_linear_in_a_long_context():
    """Operations that XLA counts: ten times the keys, for as many queries, are at most eleven times the work."""

    def flops(length):
        many = jnp.ones((length, 8))
        return jax.jit(linear_attention).lower(many, many, many).compile().cost_analysis()["flops"]

    assert flops(10_000) <= 11 * flops(1000)
