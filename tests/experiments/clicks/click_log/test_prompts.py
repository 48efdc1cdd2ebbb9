"""Prompts: every target once, behind what precedes it and nothing else; and their order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.clicks.click_log import prompts as prompts_of
from experiments.clicks.click_log.prompts import NONE, Prompts, batch_indices, in_order
from tasks.logs.log import SPLITS, ClickLog


def log_of(lengths, rng=None):
    """A log in memory. lengths: one row per user, its interactions in each split; features tell the row."""
    ends = np.cumsum(lengths).reshape(-1, 3)
    bounds = np.concatenate([ends[:, :1] - np.array(lengths)[:, :1], ends], axis=1)
    rows = int(ends[-1, -1])
    features = np.stack([np.arange(rows), np.arange(rows) + rows], axis=1).astype(np.int32)
    label = (rng or np.random.default_rng(0)).integers(0, 2, rows).astype(np.int8)
    starts = (0, rows, 2 * rows)
    return ClickLog(None, features, label, np.arange(rows), bounds, ("a", "b"), (0, 1), starts, (0, 0), ())


def whole(prompts, batch_size):
    """The batch of all prompts, made of batches, the last of them filled up."""
    batches = [prompts.batch(indices) for indices in in_order(len(prompts), batch_size)]
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


LENGTHS = st.lists(st.tuples(*[st.integers(0, 20)] * 3).filter(any), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(lengths=LENGTHS, n=st.integers(0, 7), k=st.integers(1, 9), batch_size=st.integers(1, 11), s=st.integers(0, 2))
def test_every_target_once_behind_its_own_past(lengths, n, k, batch_size, s):
    """Against a loop over users, targets and contexts in plain Python."""
    log = log_of(lengths)
    prompts = Prompts(log, SPLITS[s], n, k)
    targets = [row for bounds in log.bounds for row in range(bounds[s], bounds[s + 1])]
    assert prompts.num_all_targets == len(targets)
    if not targets:
        assert len(prompts) == 0
        return
    batch = whole(prompts, batch_size)
    rows = batch["features"][:, :, 0]  # -1 where absent
    assert rows.shape == (-(-len(prompts) // batch_size) * batch_size, n + k)
    assert rows[:, n:][batch["is_target"]].tolist() == targets, "each once, in order"
    assert (rows[:, n:] != -1).tolist() == batch["is_target"].tolist(), "and none that is no target"
    user_of = {row: user for user, bounds in enumerate(log.bounds) for row in range(bounds[0], bounds[3])}
    for prompt in rows[: len(prompts)].tolist():
        first, user = prompt[n], user_of[prompt[n]]
        count = sum(row != -1 for row in prompt[n:])
        assert count == min(k, log.bounds[user, s + 1] - first)
        assert prompt[n:] == [*range(first, first + count)] + [-1] * (k - count)
        earlier = [row for row in range(first) if user_of[row] == user]
        context = earlier[len(earlier) - min(n, len(earlier)) :]
        assert prompt[:n] == [-1] * (n - len(context)) + context
    assert (rows[len(prompts) :] == -1).all()
    assert prompts.rows(np.append(np.arange(len(prompts)), NONE)).tolist() == targets
    owner = [number for number, prompt in enumerate(rows.tolist()) for row in prompt[n:] if row != -1]
    assert prompts.of(np.array(targets)).tolist() == owner
    there = rows != -1
    np.testing.assert_array_equal(batch["label"], np.where(there, log.label[rows], -1))
    np.testing.assert_array_equal(batch["features"][:, :, 1], np.where(there, rows + len(log.label), -1))
    assert batch["features"].dtype == batch["label"].dtype == np.int32


def test_a_prompt():
    """A user with 3 training and 2 validation interactions: rows 0 to 4. n = 4, k = 2."""
    log = log_of([(3, 2, 0)])
    training, validation = (Prompts(log, split, 4, 2) for split in ("train", "validation"))
    assert training.batch([0, 1])["features"][:, :, 0].tolist() == [[-1] * 4 + [0, 1], [-1, -1, 0, 1, 2, -1]]
    assert validation.batch([0])["features"][:, :, 0].tolist() == [[-1, 0, 1, 2, 3, 4]]
    assert training.batch([1])["is_target"].tolist() == [[True, False]]
    assert len(Prompts(log, "test", 4, 2)) == 0


def test_what_is_no_prompt():
    prompts = Prompts(log_of([(3, 2, 0)]), "train", 4, 2)
    empty = prompts.batch(np.array([NONE]))
    assert not empty["is_target"].any()
    assert (empty["features"] == -1).all()
    for wrong in (2, -2):
        with pytest.raises(IndexError, match="from 0 to 1"):
            prompts.batch([wrong])
    with pytest.raises(ValueError, match="num_targets=0"):
        Prompts(log_of([(3, 2, 0)]), "train", 4, 0)


def test_users_without_a_target_have_no_prompt():
    log = log_of([(0, 3, 0), (2, 0, 0), (0, 0, 1), (1, 0, 0)])
    assert Prompts(log, "train", 3, 2).locate(np.arange(2)).first.tolist() == [3, 6]


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
    prompts_of._permutation.cache_clear()
    for step in (29, 0, 17, 6):
        prompts_of._permutation.cache_clear()
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
