"""Prompts of many targets against sliding windows, in float64: which schemes answer every target as its own window
does, and how far back an answer depends on interactions. What is expected is written out here, scheme by scheme."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.config.choices import Position, StreamScheme
from lab.layouts.stream import Stream
from lab.learners.stream_decoder import StreamDecoder
from lab.learners.stream_schemes import SCHEMES, Reset, Towards
from lab.learners.stream_shape import StreamShape
from tests.compiled import called

pytestmark = pytest.mark.usefixtures("float64")

N, K, C, WIDTH, ITEMS = 3, 5, 3, 8, 6
M = N + K
ROUNDING = 1e-12  # of logits of the order of 1
APART = 1e-6  # different functions are further apart than this with random weights
NONE, ROPE, ALIBI, LEARNED = Position.none, Position.rope, Position.alibi, Position.learned
RELATIVE = (NONE, ROPE, ALIBI)
RESETS = ("reset", "dti", "reset_last", "own")
ALL = M - 1  # interactions before the last target


def decoder_of(scheme, positions, layers, a=None):
    """a: ymin and ymax; None: from 0 to 1."""
    shape = StreamShape(SCHEMES[StreamScheme(scheme)], N, K, K, C - 1, ITEMS, WIDTH, layers, 2, 2 * WIDTH, positions)
    return StreamDecoder(shape, jax.random.key(3), 1.0, (0.0, 1.0) if a is None else (a, a))


@functools.cache
def stream():
    draw = np.random.default_rng(0)
    return Stream(draw.integers(0, ITEMS, (M, C - 1)), draw.integers(0, 2, M), K)


@jax.jit
def answers(decoder):
    return decoder.logits(jax.tree.map(jnp.asarray, stream()))


@jax.jit
def in_windows(decoder):
    """The logits of each target in its sliding window."""
    whole = stream()
    rows = np.arange(K)[:, None] + np.arange(N + 1)[None]
    windows = Stream(jnp.asarray(whole.tokens[rows]), jnp.asarray(whole.labels[rows]), 1)
    return jax.vmap(decoder.packed(1).logits)(windows)[:, 0]


def apart(decoder):
    """(K,): the distance of each target's logits from its sliding window's."""
    return np.max(np.abs(answers(decoder) - in_windows(decoder)), axis=1)


@jax.jit
def gradient(decoder):
    def logit(shift):
        return decoder.logits(jax.tree.map(jnp.asarray, stream()), shift)[-1, 1]

    return jax.grad(logit)(jnp.zeros((M, C, WIDTH)))


def norms(decoder):
    """(M,): of the gradient of the last target's logit, by how many interactions before it."""
    return np.linalg.norm(gradient(decoder).reshape(M, -1), axis=1)[::-1]


def reach(decoder):
    return np.flatnonzero(norms(decoder)).max()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "positions"),
    [(scheme.value, (ROPE, LEARNED)[place % 2]) for place, scheme in enumerate(StreamScheme)],
)
def test_the_first_target_is_that_of_a_sliding_window(scheme, positions):
    """It has the same window before it, and nothing else."""
    assert apart(decoder_of(scheme, positions, layers=2))[0] < ROUNDING


SAME = ["no_id", "alibi", "own", "local", "split", "dti", "reset_last"]


@pytest.mark.parametrize(("scheme", "positions"), [*itertools.product(SAME, RELATIVE), ("naive", NONE)])
def test_one_layer_with_relative_positions_answers_every_target_as_its_window(scheme, positions):
    """Without positions counted summaries change nothing."""
    assert apart(decoder_of(scheme, positions, layers=1)).max() < ROUNDING


@pytest.mark.parametrize(
    ("scheme", "positions"),
    [
        ("naive", ROPE),  # [SUM]s that count stretch distances
        ("naive", ALIBI),
        ("reset", ROPE),
        ("literal", ROPE),  # q . R(p) k depends on the key's absolute position
        ("no_id", LEARNED),
        ("alibi", LEARNED),  # the tokens keep their absolute positions
        ("local", LEARNED),
        ("full", NONE),  # more is seen than a window
    ],
)
def test_one_layer_answers_differently_where_positions_or_the_context_differ(scheme, positions):
    differences = apart(decoder_of(scheme, positions, layers=1))
    assert differences[0] < ROUNDING
    assert differences[1:].min() > APART, "of every target but the first"


@pytest.mark.parametrize("scheme", ["naive", "no_id", "alibi", "dti", "own", "reset_last"])
def test_several_layers_with_a_window_answer_differently(scheme):
    """Interactions of the window have seen what is older."""
    assert apart(decoder_of(scheme, NONE, layers=2))[1:].min() > APART


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "a", "positions"),
    [*(("local", None, each) for each in RELATIVE), ("split", None, ROPE), ("own", 1.0, ALIBI), ("dti", 1.0, ROPE)],
)
def test_isolating_schemes_answer_every_target_as_its_window(scheme, a, positions):
    decoder = decoder_of(scheme, positions, 3, a)
    assert apart(decoder).max() < ROUNDING
    assert reach(decoder) == N


@pytest.mark.parametrize(
    ("scheme", "layers", "a", "expected"),
    [
        *(("no_id", layers, None, min(layers * N, ALL)) for layers in (1, 2, 3)),  # as many windows as layers
        ("full", 1, None, ALL),
        *(("reset_last", layers, 1.0, expected) for layers, expected in ((1, N), (2, N), (3, 2 * N))),
    ],
)
def test_how_far_an_answer_reaches(scheme, layers, a, expected):
    """A reset of the last layer alone leaves the reach of the layers before it."""
    assert reach(decoder_of(scheme, ROPE, layers, a)) == expected


def test_within_its_reach_no_interaction_is_left_out():
    """Else the reach would be that of a mask with holes."""
    for scheme in ("no_id", "local", "split"):
        by_distance = norms(decoder_of(scheme, ROPE, 3))
        assert np.all(by_distance[: 1 + (ALL if scheme == "no_id" else N)] > 0)


@pytest.mark.parametrize("scheme", RESETS)
def test_a_reset_weakens_what_is_beyond_the_window_and_does_not_remove_it(scheme):
    summary = SCHEMES[StreamScheme(scheme)].summary.value
    without = {"reset": "naive", "own": "no_id"}.get(scheme, summary)
    leaks = []
    for name in (scheme, without):
        by_distance = norms(decoder_of(name, NONE, 2))
        assert by_distance[N + 1 : 2 * N + 1].min() > 0
        leaks.append(by_distance[N + 1 :].sum() / by_distance.sum())
    assert leaks[0] < leaks[1]


def test_a_reset_to_embeddings_with_counted_summaries_isolates_all_the_same():
    """It does not answer as sliding windows do, since their distances are not stretched."""
    decoder = decoder_of("reset", ROPE, 2, a=1.0)
    assert reach(decoder) == N
    assert apart(decoder)[1:].min() > APART


@pytest.mark.slow
@pytest.mark.parametrize("layers", [2, 3, 4, 6])
def test_a_split_window_isolates_where_the_layers_do_not_divide_it(layers):
    """N = 3 interactions over 1, 2, 3 or 5 layers after the first: also where some layers see their own alone."""
    decoder = decoder_of("split", ROPE, layers)
    assert apart(decoder).max() < ROUNDING
    assert reach(decoder) == N
    assert np.all(norms(decoder)[: N + 1] > 0), "nothing of the window is left out"


def exchanged(decoder):
    """By how much the first target's answer moves where the two oldest interactions of its window change places."""
    whole = stream()
    order = np.arange(M)
    order[[0, 1]] = order[[1, 0]]
    swapped = Stream(jnp.asarray(whole.tokens[order]), jnp.asarray(whole.labels[order]), K)
    return np.max(np.abs(answers(decoder)[0] - called(decoder.logits, swapped)[0]))


def test_with_two_layers_a_split_window_cannot_tell_the_order():
    """Tokens have seen their own interaction alone when [SUM]s see them, so without positions a window is a set. With
    three layers, or with DTI-'s window in both, the order matters."""
    assert exchanged(decoder_of("split", NONE, 2)) < ROUNDING
    assert exchanged(decoder_of("split", NONE, 3)) > APART
    assert exchanged(decoder_of("no_id", NONE, 2)) > APART


def test_resets_act_after_the_first_layer():
    assert [Reset().applies(layer, 3, False) for layer in range(3)] == [False, True, True]
    last = Reset(Towards.embedding, last_only=True)
    assert [last.applies(layer, 3, True) for layer in range(3)] == [False, False, True]
    assert not any(last.applies(layer, 3, False) for layer in range(3))
