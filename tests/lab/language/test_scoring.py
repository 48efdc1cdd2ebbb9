"""Scores of answers against one plain sequence at a time, in NumPy."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.errors import ConfigError
from lab.language import attention
from lab.language.scoring import Query, encode, padded, score
from tests.compiled import called
from tests.lab.language.folders import doubled, loaded, random_model

DRAW = np.random.default_rng(0)
QUERIES = [  # answers of one token; of many; that share a beginning; fewer of them
    Query([5, 6, 7], [[8], [9], [10]]),
    Query([3] * 20, [[4, 5, 6, 7, 8], [4, 9], [11, 12, 13]]),
    Query([9, 1, 4, 2], [[7, 8, 3], [7, 8, 5], [7, 8]]),
    Query([2, 2], [[3, 3], [5]]),
]


@pytest.fixture(scope="module")
def model():
    return random_model()


@jax.jit
def log_softmax(model, tokens_T):
    return jax.nn.log_softmax(model.logits(tokens_T), axis=-1)


def by_hand(model, prompt, answer):
    """The sum of log p over an answer's tokens, from one sequence of prompt and answer."""
    tokens = [*prompt, *answer]
    log_p_TxV = np.asarray(log_softmax(model, padded([tokens])[0]), np.float64)
    return sum(log_p_TxV[len(prompt) + i - 1, token] for i, token in enumerate(answer))


PAST = [5, 17, 33, 2, 44]


@pytest.mark.parametrize(
    ("name", "past", "batch"),
    [("random", [], 16), ("random", PAST, 2), ("random", PAST, 16), ("random", list(range(1, 33)), 2)]
    + [(name, [*PAST, 9, 3], 16) for name in ("bloom", "mistral", "gpt_neo", "opt")],
)
def test_sums_are_those_of_one_sequence_at_a_time(name, past, batch, model):
    """Also behind demonstrations, which are then read once, of a length that is no multiple of 16 and of one that is;
    and of families with ALiBi, windows and learned positions, which the place behind padding must not change.
    Sums of five log-probabilities of about 4 in float32: 1e-5 is some ten roundings."""
    model = model if name == "random" else loaded(name)
    history = encode(model, past) if past else None
    scores = score(model, QUERIES, history, batch)
    for x, query in enumerate(QUERIES):
        for c, answer in enumerate(query.answers):
            expected = by_hand(model, [*past, *query.prompt], answer)
            np.testing.assert_allclose(scores.sums[x, c], expected, rtol=0, atol=1e-5)
            assert scores.counts[x, c] == len(answer)
            assert scores.means[x, c] == scores.sums[x, c] / len(answer)
    assert scores.sums[3, 2] == -np.inf == scores.means[3, 2]


def test_a_history_is_a_prefix_for_the_keys_of_every_layer(model, float64):
    """Keys and values of tokens behind a history are those of the whole sequence."""
    model = doubled(model)
    tokens = np.arange(1, 33, dtype=np.int32)

    def trace(tokens_T):
        visibility = model.visibility(len(tokens_T))
        return model.forward(model.embed(tokens_T, visibility.positions), visibility)

    def later(history, tokens_T):
        visibility = model.visibility(len(tokens_T), history)
        x_TxD = model.embed(tokens_T, visibility.positions)
        return model.forward(x_TxD, visibility, (history.keys, history.values))

    whole, part = called(trace, tokens), called(later, encode(model, tokens[:24]), tokens[24:])
    for name in ("keys", "values", "queries"):
        np.testing.assert_allclose(part[name], whole[name][:, :, 24:], rtol=0, atol=1e-12)
    for name in ("outputs", "inputs", "attended"):
        np.testing.assert_allclose(part[name], whole[name][:, 24:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(part["scores"], whole["scores"][:, :, 24:], rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mistral", "bloom", "gpt2", "qwen3"])
@pytest.mark.parametrize(("queries", "most"), [(5, 16), (1, 3)])
def test_some_queries_at_a_time_read_what_all_at_once_do(name, queries, most, monkeypatch, float64):
    """Thirteen tokens in blocks of five, alone and behind a history; who asks for the scores has one block."""
    monkeypatch.setattr(attention, "QUERIES", queries)
    monkeypatch.setattr(attention, "MOST", most)
    model, tokens = doubled(loaded(name)), DRAW.integers(1, 61, 13)

    def outputs(history, *further):
        visibility = model.visibility(len(tokens), history)
        past = None if history is None else (history.keys, history.values)
        x_TxD = model.embed(jnp.asarray(tokens), visibility.positions)
        return model.forward(x_TxD, visibility, past, ("outputs", *further))["outputs"]

    for history in (None, encode(model, [5, 17, 33, 2, 44, 9, 3])):
        blocks, whole = outputs(history), outputs(history, "scores")
        np.testing.assert_allclose(blocks, whole, rtol=0, atol=1e-12)


def test_a_window_counts_keys_in_front_and_alibi_places():
    """Of five tokens behind nine others (padded to 24), which are read again at positions 0 .. 4: key by key."""
    tokens, count, slots, start = [1, 2, 3, 4, 5, 6, 7, 8, 9], 5, 24, 0
    for name in ("mistral", "bloom", "gpt2"):
        model = loaded(name)
        history = encode(model, tokens)
        visibility = jax.tree.map(np.asarray, model.visibility(count, history, start))
        for t in range(count):
            for s in range(slots + count):
                place = s if s < slots else len(tokens) + s - slots  # counted without padding
                real = s < len(tokens) or s >= slots
                distance = len(tokens) + t - place
                assert visibility.mask[t, s] == (real and distance >= 0)
                if name == "mistral":
                    assert visibility.masks[1, t, s] == (real and 0 <= distance < 6)
                if name == "bloom" and real:
                    position = s if s < slots else start + s - slots
                    expected = np.array(model.arch.slopes) * (position - (start + t))
                    np.testing.assert_allclose(visibility.bias[:, t, s], expected, rtol=1e-6)


def test_what_has_no_place_is_refused_before_anything_is_compiled(model):
    with pytest.raises(ConfigError, match="the demonstrations: needs 65 positions, and the model has 64"):
        encode(model, [1] * 65)
    history = encode(model, [1] * 60)
    with pytest.raises(ConfigError, match="needs 66 positions, and the model has 64"):
        score(model, [Query([1] * 5, [[1, 2]])], history)
    assert np.isfinite(score(model, [Query([1] * 3, [[1, 2]])], history).sums).all()
    for query in (Query([], [[1]]), Query([1], [[1], []])):  # nothing to be scored, or to be scored behind
        with pytest.raises(ConfigError, match="query 0: "):
            score(model, [query])


def test_the_forward_pass_is_differentiable(model, float64):
    """By a difference quotient of the loss along a random direction, with and without remat, in double precision."""
    exact = doubled(model)
    tokens = DRAW.integers(0, 61, (2, 10))

    def loss(params, remat=False):
        log_p = jax.vmap(
            lambda t: jax.nn.log_softmax(dataclasses.replace(exact, params=params, remat=remat).logits(t))
        )(tokens)
        return -jnp.mean(jnp.take_along_axis(log_p[:, :-1], tokens[:, 1:, None], axis=-1))

    direction = jax.tree.map(lambda leaf: DRAW.normal(size=leaf.shape), exact.params)
    values = [
        called(loss, jax.tree.map(lambda p, d, step=step: p + step * d, exact.params, direction))
        for step in (1e-7, -1e-7)
    ]
    for remat in (False, True):
        slopes = jax.jit(jax.grad(lambda params, remat=remat: loss(params, remat)))(exact.params)
        expected = sum(jnp.vdot(g, d) for g, d in zip(*map(jax.tree.leaves, (slopes, direction)), strict=True))
        np.testing.assert_allclose((values[0] - values[1]) / 2e-7, expected, rtol=1e-6)
