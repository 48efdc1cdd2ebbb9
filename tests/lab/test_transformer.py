"""The forward pass, and its attention."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.attention.fast_linear import recursion_is_cheaper
from lab.attention.linear import linear_attention
from lab.config.choices import Injection
from lab.learners.attention_stacks import NormalisedTransformer, SoftmaxTransformer
from lab.learners.linear_transformer import LinearTransformer
from lab.learners.momentum_transformer import MomentumTransformer
from tasks.catalogue import TASKS
from tests.lab import reference
from tests.lab.makers import KEY, NAMES, moved, one_prompt, prompts_of, shape_of, transformer
from tests.pairs import pairs

STACKS = [
    {"num_layers": 1},
    {"num_layers": 2, "num_heads": 2, "recurrent": False},
    {"num_layers": 3, "num_context": 40},
    {"num_layers": 2, "clip": 0.3},
    {"num_layers": 3, "num_heads": 2, "recurrent": False, "num_context": 40, "clip": 0.3},
]
PROMPTS = [(name, how) for name in NAMES for how in Injection if how.value == "pooled" or name == "rag_dot"]
OTHERS = [(SoftmaxTransformer, reference.softmax), (NormalisedTransformer, list), (MomentumTransformer, list)]
FORMS = [
    *((LinearTransformer, list, stack, PROMPTS[place % len(PROMPTS)]) for place, stack in enumerate(STACKS)),
    *((*other, stack, prompts) for other, stack, prompts in pairs(OTHERS, [*STACKS[:2], STACKS[3]], PROMPTS)),
]


@pytest.mark.parametrize(
    ("kind", "weigh", "stack", "prompts"),
    [pytest.param(*form, marks=[] if form[0] is LinearTransformer else [pytest.mark.slow]) for form in FORMS],
)
def test_the_fast_form_and_the_trace_are_the_formula(kind, weigh, stack, prompts, float64):
    """A slow pass in NumPy is the third. The short cuts (merged products, padding, recursion for the longer context,
    the query's y-slot alone) change nothing, at no layer."""
    options, (name, injection) = dict(stack), prompts
    task = TASKS[name](input_dim=2, num_context=options.pop("num_context", 4), output_dim=2, num_queries=2)
    shape = shape_of(task, injection=injection, **options)
    model, prompt = moved(jax.jit(lambda key: kind(shape, key, 1.0))(KEY)), one_prompt(task)
    expected = reference.attention_stack(model, prompt, weigh)
    trace, readouts, answers = jax.jit(lambda p: (model.trace(p), model.readouts(p), model(p)))(prompt)
    close = functools.partial(np.testing.assert_allclose, rtol=1e-10, atol=1e-12)
    close(readouts, expected["readouts"])
    np.testing.assert_array_equal(answers, readouts[-1])
    parts = {part: values for part, values in vars(trace).items() if values is not None}
    assert parts.keys() == expected.keys()
    for part, values in parts.items():
        close(values, expected[part], err_msg=part)
    assert np.any(np.abs(expected["outputs"]) == 0.3) == ("clip" in options)


MANY = [  # of `plain` (or rag_dot), and whether its products are of many prompts side by side
    ("plain", {}, {}, True),
    ("plain", {"num_context": 9}, {}, True),  # by vectors where nothing is clipped
    ("plain", {"num_context": 23}, {}, True),  # by recursion where nothing is clipped
    ("plain", {"input_dim": 30}, {}, False),
    ("plain", {"num_context": 50}, {}, False),
    ("plain", {"output_dim": 2, "num_queries": 3}, {"num_heads": 2, "recurrent": False}, True),
    ("plain", {"num_context": 19}, {"num_heads": 2}, True),
    ("rag_dot", {"num_documents": 3}, {"num_heads": 2, "injection": Injection.each}, True),
    ("rag_dot", {"num_context": 19}, {}, True),
]
CLIPS, LAYERS = (None, 0.4), itertools.cycle((1, 2, 4))
ALL = [(*row, layers) for row, layers in zip(itertools.product(MANY, CLIPS), LAYERS, strict=False)]


@pytest.mark.parametrize(
    ("many", "clip", "layers"),
    [pytest.param(*row, marks=[] if place % 5 == 0 else [pytest.mark.slow]) for place, row in enumerate(ALL)],
)
def test_many_prompts_at_once_are_answered_as_one_by_one(many, clip, layers, float64):
    """Answers and their derivatives in every weight are those of the literal forward pass."""
    name, sizes, options, lanes = many
    task = TASKS[name](**{"input_dim": 4, **sizes})
    model = transformer(task, num_layers=layers, clip=clip, **options)
    model = jax.tree.map(lambda weight: 0.7 * weight, model)
    prompts = prompts_of(task, 70)
    weights = jax.random.normal(KEY, (70, task.num_queries, task.answer_dim))

    def literal(model, prompts):
        return jax.vmap(lambda prompt: model.trace(prompt).readouts[-1])(prompts)

    def found(answers):
        graph, values = nnx.split(model)

        def weighted(values):
            answer = answers(nnx.merge(graph, values), prompts)
            return jnp.sum(weights * answer), answer

        return jax.jit(jax.value_and_grad(weighted, has_aux=True))(values)

    ((_, expected), slopes), ((_, answer), fast) = found(literal), found(lambda model, prompts: model.batch(prompts))
    scale = np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(answer, expected, rtol=0, atol=1e-12 * scale)
    for one, other in zip(jax.tree.leaves(fast), jax.tree.leaves(slopes), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * np.abs(other).max(initial=1.0))
    text = str(jax.make_jaxpr(lambda prompts: model.batch(prompts))(prompts))
    assert ("name=_sum_shared" in text) == (lanes and layers > 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 6), st.integers(1, 6), st.integers(0, 2**16))
def test_linear_attention_is_the_sum_over_the_keys_that_are_seen(queries, keys, width, out, seed):
    """Exactly, as all are whole numbers, in either order of products and with a mask."""
    rng = np.random.default_rng(seed)
    q, k, v = (rng.integers(-3, 4, size).astype(np.float32) for size in ((queries, width), (keys, width), (keys, out)))
    for mask in (None, rng.integers(0, 2, (queries, keys)).astype(bool)):
        seen = np.ones((queries, keys), bool) if mask is None else mask
        expected = [sum((v[s] * (k[s] @ q[t]) for s in np.flatnonzero(seen[t])), np.zeros(out)) for t in range(queries)]
        np.testing.assert_array_equal(linear_attention(*map(jnp.array, (q, k, v)), mask), expected)


@pytest.mark.parametrize(("context", "recursion"), [(10, False), (1000, True)])
def test_a_long_context_costs_one_gram_matrix(context, recursion):
    """Operations that XLA counts of five layers: by tokens each example costs every layer, by recursion only the first
    Gram matrix, 2 D^2, and little else."""
    task = TASKS["plain"](num_context=context)
    assert recursion_is_cheaper(5, context, 11, 1) == recursion
    model, prompt = transformer(task, num_layers=5), one_prompt(task)
    flops = jax.jit(lambda p: model(p)).lower(prompt).compile().cost_analysis()["flops"]
    assert (flops < 2.5 * 11**2 * context) == recursion


def test_linear_attention_is_linear_in_a_long_context():
    """Operations that XLA counts: ten times the keys, for as many queries, are at most eleven times the work."""

    def flops(length):
        many = jnp.ones((length, 8))
        return jax.jit(linear_attention).lower(many, many, many).compile().cost_analysis()["flops"]

    assert flops(10_000) <= 11 * flops(1000)
