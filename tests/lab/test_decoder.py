"""The decoder against a second one in NumPy, one query and one head at a time; and who sees whom, by gradients."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.attention.linear import Linear
from lab.attention.positional import Rope
from lab.attention.softmax import Softmax
from lab.config.choices import AttentionKind, Position
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Interleaved, Merged
from lab.learners.decoder import Decoder, with_attention
from lab.learners.decoder_shape import Shape
from tasks.episode import Inputs, Prompt
from tests.compiled import called
from tests.lab.makers import moved
from tests.lab.reference import gelu, layer_norm, turned

N, Q, X, Y = 4, 3, 3, 2
KEY = jax.random.key(0)
LAYOUT = TokenLayout((("x", X),), Y)
CASES = [
    {},
    {"positions": Position.learned},
    {"positions": Position.rope, "num_groups": 1},
    {"positions": Position.alibi, "num_groups": 2},
    {"layout": Interleaved(LAYOUT), "positions": Position.rope, "recurrent": True, "num_groups": 2},
    {"layout": Interleaved(LAYOUT), "positions": Position.learned},
    {"attention": AttentionKind.linear, "instructions": 0},
]


@functools.cache
def decoder_of(case, x64):
    shape = Shape(**{"layout": Merged(LAYOUT), "num_context": N, "width": 8, "num_layers": 2, "mlp_width": 5,
                     "num_groups": 4, "instructions": 2} | CASES[case])  # fmt: skip
    return moved(jax.jit(lambda key: Decoder(shape, key))(KEY))


def prompt_of(visible=None):
    x, y, query = (jax.random.normal(jax.random.key(i), shape) for i, shape in enumerate([(N, X), (N, Y), (Q, X)], 5))
    return Prompt(Inputs(x), y, Inputs(query), visible=visible)


def prefixes(*counts):
    return jnp.arange(N)[None] < jnp.array(counts)[:, None]


def answer_alone(decoder, prompt, query, count):
    """The answer to one query after `count` examples, from a prompt that has nothing else in it."""
    shape = decoder.shape
    embed, kinds = np.asarray(decoder.w_embed[...]), np.asarray(decoder.kinds[...])
    tokens = [*np.asarray(decoder.instructions[...])]
    for x, y in zip(np.asarray(prompt.context.x)[:count], np.asarray(prompt.answers)[:count], strict=True):
        if isinstance(shape.layout, Merged):
            tokens.append(embed @ np.concatenate([x, y]) + kinds[0])
        else:
            tokens.append(embed @ np.concatenate([x, 0 * y]) + kinds[0])
            tokens.append(embed @ np.concatenate([0 * x, y]) + kinds[1])
    query_kind = 1 if isinstance(shape.layout, Merged) else 0
    tokens.append(embed @ np.concatenate([np.asarray(prompt.query.x)[query], np.zeros(Y)]) + kinds[query_kind])
    tokens = np.array(tokens)
    if shape.positions is Position.learned:
        tokens = tokens + np.asarray(decoder.positions.table_LxD[...])[: len(tokens)]
    for layer in range(shape.num_layers):
        block = decoder.blocks[0 if shape.recurrent else layer]
        inside = [layer_norm(block.attention_norm, token) for token in tokens]
        after = []
        for t, token in enumerate(tokens):
            change = np.zeros_like(token)
            for head in range(shape.num_heads):
                group = head * shape.num_groups // shape.num_heads
                q = np.asarray(block.w_q[...])[head] @ inside[t]
                keys = [np.asarray(block.w_k[...])[group] @ each for each in inside[: t + 1]]
                if shape.positions is Position.rope:
                    q, keys = turned(q, t), [turned(key, s) for s, key in enumerate(keys)]
                scores = np.array([q @ key for key in keys]) / np.sqrt(len(q))
                if shape.positions is Position.alibi:
                    scores -= 2.0 ** (-8 * (head + 1) / shape.num_heads) * (t - np.arange(t + 1))
                weights = scores
                if shape.attention is AttentionKind.softmax:
                    weights = np.exp(scores) / np.exp(scores).sum()
                values = [np.asarray(block.w_v[...])[group] @ each for each in inside[: t + 1]]
                mixed = sum(weight * value for weight, value in zip(weights, values, strict=True))
                change += np.asarray(block.w_o[...])[head] @ mixed
            x = token + change
            hidden = gelu(np.asarray(block.w_in[...]) @ layer_norm(block.mlp_norm, x) + np.asarray(block.b_in[...]))
            after.append(x + np.asarray(block.w_out[...]) @ hidden + np.asarray(block.b_out[...]))
        tokens = np.array(after)
    return np.asarray(decoder.w_answer[...]) @ layer_norm(decoder.norm, tokens[-1])


@pytest.mark.parametrize("case", range(len(CASES)))
def test_every_query_is_answered_as_if_it_were_alone_with_its_examples(case, float64):
    """So predictions at every prefix come from one pass. 1e-11: some thousand roundings of numbers up to 100."""
    decoder, counts = decoder_of(case, True), (0, 2, 4)
    prompt = prompt_of(prefixes(*counts))
    traced, answered = jax.jit(decoder.trace)(prompt).readouts[-1], called(decoder, prompt)
    for query, count in enumerate(counts):
        for answers in (traced, answered):
            np.testing.assert_allclose(answers[query], answer_alone(decoder, prompt, query, count), rtol=0, atol=1e-11)


@pytest.mark.parametrize("case", [0, 3, 4])
def test_more_queries_than_context_are_answered_as_a_few_of_them(case, float64):
    """There they are answered in blocks, the last of which is not full; a few in one sequence with the context."""
    decoder = decoder_of(case, True)
    visible, times = prefixes(0, 2, 4).at[1, 0].set(False), 11
    few = prompt_of(visible)
    many = dataclasses.replace(
        few, query=Inputs(jnp.tile(few.query.x, (times, 1))), visible=jnp.tile(visible, (times, 1))
    )
    expected = called(decoder, few)
    np.testing.assert_allclose(called(decoder, many), np.tile(expected, (times, 1)), rtol=0, atol=1e-11)


def operations(function, prompt):
    """XLA's count."""
    costs = jax.jit(function).lower(prompt).compile().cost_analysis()
    assert costs is not None
    return costs["flops"]


@pytest.mark.slow
def test_the_work_of_many_queries_grows_with_their_number():
    """It doubles with twice the queries, and would grow four times with scores of all with all; what is more than twice
    are the comparisons that make the mask."""
    decoder, few = decoder_of(0, False), prompt_of()
    prompts = (dataclasses.replace(few, query=Inputs(jnp.tile(few.query.x, (times, 1)))) for times in (100, 200))
    hundred, two_hundred = (operations(decoder.__call__, prompt) for prompt in prompts)
    assert two_hundred < 2.5 * hundred


def test_in_the_last_layer_only_the_queries_tokens_take_work():
    """An answer without its trace takes the MLP of T - Q tokens less, and their part of attention."""
    decoder, prompt = decoder_of(0, False), prompt_of()
    answered = operations(decoder.__call__, prompt)
    traced = operations(lambda prompt: decoder.readouts(prompt)[-1], prompt)
    shape, others = decoder.shape, decoder.shape.instructions + N
    assert answered < traced - 2 * 2 * others * shape.width * shape.mlp_width


@pytest.mark.parametrize("case", [0, 3, 4])
def test_gradients_are_zero_after_and_between_queries_and_not_before(case):
    decoder, counts = decoder_of(case, False), (0, 2, 4)
    prompt = prompt_of(prefixes(*counts))
    gradient = jax.jit(jax.jacrev(lambda parts: decoder(prompt.replace(context=Inputs(parts[0]), answers=parts[1],
                                                                       query=Inputs(parts[2])))))  # fmt: skip
    by_x, by_y, by_query = gradient((prompt.context.x, prompt.answers, prompt.query.x))
    for query, count in enumerate(counts):
        for by_example in (by_x, by_y):  # (Q, A, N, .)
            moved = np.abs(by_example[query]).sum(axis=(0, 2))
            assert (moved[:count] > 0).all()
            assert (moved[count:] == 0).all()
        among_queries = np.abs(by_query[query]).sum(axis=(0, 2))
        assert among_queries[query] > 0
        assert (np.delete(among_queries, query) == 0).all()


def test_a_query_that_hides_an_example_in_the_middle_is_not_answered():
    visible = prefixes(4, 2, 4).at[0, 1].set(False)
    answers = called(decoder_of(0, False), prompt_of(visible))
    np.testing.assert_array_equal(np.isnan(answers).all(axis=1), [True, False, False])


def test_the_trace_holds_what_attention_did(float64):
    """Keys and values of a layer and its scores make its tokens: here the first layer's attention, by groups."""
    decoder = decoder_of(3, True)
    trace = jax.jit(decoder.trace)(prompt_of())
    tokens = decoder.shape.instructions + N + Q
    assert trace.scores.shape == (2, 4, tokens, tokens)
    assert trace.keys.shape == trace.values.shape == (2, 2, tokens, 2)
    assert trace.outputs.shape == (2, tokens, 8)
    np.testing.assert_allclose(trace.readouts[-1], called(decoder, prompt_of()), atol=1e-12)
    weights = jax.nn.softmax(jnp.where(trace.mask, trace.scores[0], -jnp.inf))
    block, (x, *_) = decoder.blocks[0], called(decoder.tokens, prompt_of())
    mixed = jnp.einsum("hts,hsa,hda->td", weights, jnp.repeat(trace.values[0], 2, axis=0), block.w_o[...])
    np.testing.assert_allclose(x + mixed + block.mlp(x + mixed), trace.outputs[0], atol=1e-12)
    assert not trace.mask[-1, -2]
    assert trace.mask[-1, -1]


def test_rotary_scores_depend_on_the_distance_and_norms_are_kept(float64):
    rope = Rope(20, 8, KEY)
    q, k = jax.random.normal(KEY, (2, 1, 5, 6))
    near, far = (rope.rotate(q, at) @ rope.rotate(k, at).mT for at in (jnp.arange(5), 13 + jnp.arange(5)))
    np.testing.assert_allclose(near, far, atol=1e-12)
    assert np.abs(near - q @ k.mT).max() > 0.1
    np.testing.assert_allclose(jnp.linalg.norm(rope.rotate(q, jnp.arange(5)), axis=-1), jnp.linalg.norm(q, axis=-1))
    with pytest.raises(ValueError, match="width 3"):
        rope.rotate(q[..., :3], jnp.arange(5))


def test_attention_of_one_kind_is_not_taken_for_another():
    """Which would share a compiled program (`test_taylor`)."""
    decoder, prompt = decoder_of(0, False), prompt_of()
    linear = with_attention(decoder, [Linear()] * 2)
    answer = jax.jit(lambda decoder: decoder(prompt))
    assert np.abs(answer(decoder) - answer(linear)).max() > 1e-3
    np.testing.assert_allclose(answer(with_attention(linear, [Softmax()] * 2)), answer(decoder), atol=1e-6)
