"""The decoder of click streams against a second one in NumPy, token by token; what it must not see."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.config.choices import Position, StreamScheme
from lab.layouts.stream import NOTHING, Stream
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES
from lab.learners.stream_shape import StreamShape
from tasks.click_streams import Clicks
from tests.compiled import one_episode
from tests.lab.makers import moved
from tests.lab.reference import turned

N, K, F = 2, 3, 2
TASK = Clicks(num_context=N, num_targets=K, num_categories=3, num_brands=2)
CASES = [(scheme, Position.rope, 2) for scheme in StreamScheme] + [
    (StreamScheme.naive, Position.learned, 2),
    (StreamScheme.dti, Position.learned, 2),
    (StreamScheme.own, Position.alibi, 2),
    (StreamScheme.literal, Position.none, 2),
    (StreamScheme.dti, Position.rope, 3),
    (StreamScheme.own, Position.rope, 3),
]
BOUNDS = (0.1, 0.8)


@functools.cache
def decoder_of(scheme, positions, layers=2, targets=K):
    shape = StreamShape(
        SCHEMES[scheme], N, targets, K, F, 5, width=8, num_layers=layers, num_heads=2, mlp_width=6, positions=positions
    )
    decoder = StreamDecoder(shape, jax.random.key(0), bounds=BOUNDS)
    return moved(decoder, stays=lambda leaf: leaf.shape == (2,))  # the bounds


def stream_of():
    """The third and fourth interactions have one feature, the first is not there."""
    tokens = jnp.array([[NOTHING, NOTHING], [2, 4], [NOTHING, 3], [1, NOTHING], [0, 3]])
    return Stream(tokens, jnp.array([NOTHING, 1, 0, 1, 0]), K)


def normed(module, x):
    return x / np.sqrt(np.mean(x**2) + module.epsilon) * np.asarray(module.scale[...])


def second_decoder(decoder, stream):
    """Tokens are dictionaries; every edge is worked out by itself."""
    shape, scheme = decoder.shape, decoder.shape.scheme
    tokens, summaries, now = [], [], 0
    for m, (row, label) in enumerate(zip(np.asarray(stream.tokens), np.asarray(stream.labels), strict=True)):
        for slot, token in enumerate(row):
            if token != NOTHING:
                tokens.append({"m": m, "order": slot, "at": now, "x": np.asarray(decoder.features[...])[token]})
                now += 1
        if m >= len(stream.labels) - stream.num_targets:
            summaries.append({"m": m, "order": F - 0.5, "at": now, "x": np.asarray(decoder.summary[...])})
            now += scheme.count_summaries
        if label != NOTHING:
            tokens.append({"m": m, "order": F, "at": now, "x": np.asarray(decoder.labels[...])[label]})
            now += 1
    has_id = scheme.summary.value == "same"
    if shape.positions is Position.learned:
        for token in [*tokens, *(summaries if has_id else [])]:
            token["x"] = token["x"] + np.asarray(decoder.positions.table_LxD[...])[token["at"]]
    for token in tokens:
        token["first"] = token["alone"] = token["x"]
    slope = float(decoder.slope[...])
    slopes = 2.0 ** (-8.0 * np.arange(1, shape.num_heads + 1) / shape.num_heads)
    rope, alibi = shape.positions is Position.rope, shape.positions is Position.alibi

    def attended(block, layer, query, x, state, is_summary, limit, resets):
        total, heads = np.zeros(shape.width), shape.num_heads
        named = {name: np.asarray(getattr(block, f"w_{name}")[...]) for name in "qkvo"}
        scale = shape.head_width**-0.25
        seen = [t for t in tokens if t["m"] < query["m"] and (limit is None or query["m"] - t["m"] <= limit)]
        seen += [t for t in tokens if t["m"] == query["m"] and t["order"] <= query["order"]]

        def edge(x, at, turn, h):
            inputs = normed(block.attention_norm, x)
            k = scale * inputs @ named["k"][:, h]
            return (turned(k, at) if turn else k), inputs @ named["v"][:, h]

        for h in range(heads):
            turn_query = rope and (not is_summary or has_id)
            turn_key = rope and (not is_summary or scheme.summary.value != "alibi")
            q = scale * normed(block.attention_norm, x) @ named["q"][:, h]
            q = turned(q, query["at"]) if turn_query else q
            scores, values = [], []

            for token in seen:
                key, value = edge(token[state], token["at"], turn_key, h)
                distance = query["m"] - token["m"]
                if resets and distance:
                    a = BOUNDS[0] + (BOUNDS[1] - BOUNDS[0]) / (1 + np.exp(-(distance - N / 2)))
                    before = token["alone" if scheme.reset.towards.value == "own" else "first"]
                    other = edge(before, token["at"], turn_key, h)
                    key, value = a * other[0] + (1 - a) * key, a * other[1] + (1 - a) * value
                fall = slopes[h] * abs(query["at"] - token["at"]) if alibi or (is_summary and not has_id) else 0.0
                fall *= slope if is_summary and not has_id else 1.0
                scores.append(q @ key - fall)
                values.append(value)
            if is_summary:
                key, value = edge(x, query["at"], turn_query, h)
                scores.append(q @ key)
                values.append(value)
            weights = np.exp(np.array(scores))
            total += (weights @ np.array(values) / weights.sum()) @ named["o"][h]
        return total

    def after(block, x, total):
        x = x + total
        hidden = np.asarray(jax.nn.gelu(normed(block.mlp_norm, x) @ np.asarray(block.w_in[...])))
        return x + hidden @ np.asarray(block.w_out[...])

    for layer, block in enumerate(decoder.blocks):
        limits = scheme.reach.limits(N, layer, shape.num_layers)

        def resets(is_summary, layer=layer):
            return scheme.reset is not None and scheme.reset.applies(layer, shape.num_layers, is_summary)

        see = functools.partial(attended, block, layer)
        new = [after(block, t["x"], see(t, t["x"], "x", False, limits[0], resets(False))) for t in tokens]
        alone = [after(block, t["alone"], see(t, t["alone"], "alone", False, 0, False)) for t in tokens]
        summed = [after(block, s["x"], see(s, s["x"], "x", True, limits[1], resets(True))) for s in summaries]
        for token, x, by_itself in zip(tokens, new, alone, strict=True):
            token["x"], token["alone"] = x, by_itself
        for summary, x in zip(summaries, summed, strict=True):
            summary["x"] = x
    return np.array([normed(decoder.norm, s["x"]) @ np.asarray(decoder.w_answer[...]) for s in summaries])


@pytest.mark.parametrize(("scheme", "positions", "layers"), CASES, ids=[f"{s.name}-{p.name}-{n}" for s, p, n in CASES])
def test_logits_are_those_of_the_second_decoder(scheme, positions, layers, float64):
    decoder, stream = numbered(decoder_of.__wrapped__(scheme, positions, layers), slope=2.5), stream_of()
    np.testing.assert_allclose(jax.jit(decoder.logits)(stream), second_decoder(decoder, stream), atol=1e-12)


@pytest.mark.slow
def test_targets_that_prompts_do_not_divide_are_answered_once_each():
    """Three targets in prompts of two: as the first two and the third of prompts by hand."""
    decoder = decoder_of(StreamScheme.local, Position.rope)
    prompt = one_episode(TASK, jax.random.key(0)).prompt
    whole, in_twos = jax.jit(decoder)(prompt), jax.jit(decoder.packed(2))(prompt)
    assert in_twos.shape == (3, 2)
    np.testing.assert_allclose(whole, in_twos, atol=1e-5)


def test_a_prompt_that_hides_what_is_before_a_query_is_answered_by_nothing():
    decoder = decoder_of(StreamScheme.naive, Position.rope)
    prompt = one_episode(TASK, jax.random.key(0)).prompt
    hidden = prompt.replace(visible=prompt.visible.at[1, 0].set(False))
    answer = jax.jit(decoder)
    np.testing.assert_array_equal(jnp.isnan(answer(hidden)).all(axis=1), [False, True, False])
    np.testing.assert_array_equal(answer(prompt.replace(visible=None)), answer(prompt))


def numbered(decoder, **numbers):
    """The decoder with other traced numbers: `bounds` or `slope`."""
    leaves = {name: jnp.asarray(value, float) for name, value in numbers.items()}
    changed = jax.tree.map(lambda leaf: leaf, decoder)
    for name, value in leaves.items():
        getattr(changed, name).set_value(value)
    return changed


def test_many_bounds_and_slopes_are_one_program():
    traces = []

    @jax.jit
    def logits(decoder, stream):
        traces.append(decoder.shape.scheme)
        return decoder.logits(stream)

    decoder, stream = decoder_of(StreamScheme.dti, Position.rope, 3), stream_of()
    answers = [
        logits(numbered(decoder, bounds=(0.0, ymax), slope=slope), stream)
        for ymax in (0.1, 0.6)
        for slope in (0.5, 2.0)
    ]
    assert len(traces) == 1
    different = {np.round(np.asarray(each), 5).tobytes() for each in answers}
    assert len(different) == len(answers)
