"""Prompts of many targets: every target once, positions counted by hand, what is not there has none."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.layouts.stream import NOTHING, Stream, cut, positions
from tasks.episode import Inputs, Prompt
from tests.compiled import called


def prompt_of(interactions, queries):
    x = np.stack([np.arange(interactions), 100 + np.arange(interactions)], axis=1)
    answers = np.eye(2, dtype=np.float32)[np.arange(interactions) % 2]
    return Prompt(Inputs(x), answers, Inputs(x[interactions - queries :]))


@settings(max_examples=12, deadline=None)
@given(n=st.integers(0, 4), k=st.integers(1, 7), queries=st.integers(1, 9), more=st.integers(0, 2))
def test_every_target_is_in_one_prompt_behind_its_own_context(n, k, queries, more):
    interactions = n + more + queries
    prompts = called(lambda prompt: cut(prompt, n, k), prompt_of(interactions, queries))
    assert prompts.tokens.shape == (-(-queries // k), n + k, 2)
    assert prompts.labels.shape == (-(-queries // k), n + k)
    targets = np.asarray(prompts.tokens[:, n:, 0]).ravel()
    first = n + more
    np.testing.assert_array_equal(targets[targets != NOTHING], np.arange(first, interactions))
    for place, row in enumerate(np.asarray(prompts.tokens[..., 0])):
        there = row[row != NOTHING]
        np.testing.assert_array_equal(there, np.arange(more + place * k, more + place * k + len(there)))
        np.testing.assert_array_equal(np.asarray(prompts.labels[place])[: len(there)], there % 2)
        assert np.all(np.asarray(prompts.labels[place])[len(there) :] == NOTHING)


def test_too_short_a_history_is_refused():
    with pytest.raises(ValueError, match="3 interactions before each target; the first has 2"):
        cut(prompt_of(4, 2), 3, 1)


def counted(stream, count_summaries):
    """One token after the other."""
    tokens, labels, places, summaries, now = np.asarray(stream.tokens), np.asarray(stream.labels), {}, [], 0
    for m, row in enumerate(tokens):
        for slot, token in enumerate(row):
            if token != NOTHING:
                places[m, slot], now = now, now + 1
        if m >= len(tokens) - stream.num_targets:
            summaries.append(now)
            now += count_summaries
        if labels[m] != NOTHING:
            places[m, len(row)], now = now, now + 1
    return places, summaries


@pytest.mark.parametrize("count_summaries", [False, True])
def test_positions_count_what_is_there(count_summaries):
    tokens = jnp.array([[NOTHING] * 3, [4, NOTHING, 2], [1, NOTHING, NOTHING], [3, 5, 6], [NOTHING] * 3])
    stream = Stream(tokens, jnp.array([NOTHING, 1, 0, NOTHING, NOTHING]), 3)
    result = positions(stream, count_summaries)
    places, summaries = counted(stream, count_summaries)
    assert {place: int(result.tokens[place]) for place in places} == places
    np.testing.assert_array_equal(result.summaries, summaries)
