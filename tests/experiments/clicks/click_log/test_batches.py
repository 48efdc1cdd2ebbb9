"""The order of prompts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.clicks.click_log import batches
from experiments.clicks.click_log.batches import batch_indices, in_order
from experiments.clicks.click_log.prompts import NONE


@settings(deadline=None)
@given(num_prompts=st.integers(1, 40), batch_size=st.integers(1, 90), seed=st.integers(0, 2**32))
def test_each_prompt_once_per_epoch(num_prompts, batch_size, seed):
    epochs = 3
    steps = -(-epochs * num_prompts // batch_size)
    taken = np.concatenate([batch_indices(num_prompts, seed, step, batch_size) for step in range(steps)])
    assert len(taken) == steps * batch_size
    for epoch in range(epochs):
        here = taken[epoch * num_prompts : (epoch + 1) * num_prompts]
        assert sorted(here.tolist()) == [*range(num_prompts)]


def test_the_same_after_a_restart_at_any_step():
    def steps(order):
        result = {}
        for step in order:
            result[step] = batch_indices(50, 3, step, 8).tolist()
        return result

    whole = steps(range(30))
    batches._permutation.cache_clear()
    for step in (29, 0, 17, 6):
        batches._permutation.cache_clear()
        assert steps([step])[step] == whole[step]
    assert steps(reversed(range(30))) == whole


def test_another_seed_and_another_epoch_is_another_order():
    orders = {tuple(batch_indices(100, seed, epoch, 100).tolist()) for seed in range(3) for epoch in range(3)}
    assert len(orders) == 9


def test_every_prompt_is_as_likely_at_every_place():
    """Over 2000 seeds: each count is within 5 standard deviations, sqrt(2000 * 1/5 * 4/5) = 18, of 400."""
    drawn = np.stack([batch_indices(5, seed, 0, 5) for seed in range(2000)])
    counts = np.stack([(drawn == prompt).sum(axis=0) for prompt in range(5)])
    assert np.abs(counts - 400).max() < 90


def test_no_prompts():
    with pytest.raises(ValueError, match="no prompts"):
        batch_indices(0, 0, 0, 4)


def test_in_order():
    assert [each.tolist() for each in in_order(5, 3)] == [[0, 1, 2], [3, 4, NONE]]
    assert [*in_order(0, 3)] == []
