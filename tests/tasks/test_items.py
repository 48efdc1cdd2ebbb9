"""The catalogue of `items`: its choices against their own softmax, and sequences that were logged as a task."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from tasks.item_sequences import PADDING, Items, Logged
from tests.compiled import sampled

KEY = jax.random.key(0)
TINY = Items(num_context=5, num_items=7, taste_dim=3)


def test_items_are_drawn_by_the_softmax_of_their_utility():
    """How often the likeliest item is taken, against its mean probability."""
    log = TINY.log(KEY, 2000)
    assert log.items.shape == log.times.shape == (2000, 6)
    utility = np.asarray(log.utility, np.float64)
    likely = np.exp(utility - utility.max(-1, keepdims=True))
    likely /= likely.sum(-1, keepdims=True)
    surplus = (likely.argmax(-1) == np.asarray(log.items)) - likely.max(-1)
    assert abs(surplus.mean()) < 5 * surplus.std() / np.sqrt(surplus.size)


def test_utility_is_popularity_habit_and_taste():
    """Without taste all that is left is known; the first item has none before it."""
    task = dataclasses.replace(TINY, taste=0.0, trend=0.7)
    log = task.log(KEY, 4)
    popular, trend, after, _ = task.world_tables
    items, times = np.asarray(log.items), np.asarray(log.times)
    expected = np.asarray(popular) + (2 * times[..., None] - 1) * np.asarray(trend)
    expected[:, 1:] += np.asarray(after)[items[:, :-1]]
    np.testing.assert_allclose(log.utility, expected, rtol=1e-4, atol=1e-5)
    assert np.std(np.asarray(trend)) > 0
    # with it, users differ at the same place
    tasted = TINY.log(KEY, 4).utility[:, 0]
    assert np.abs(np.diff(tasted, axis=0)).min(axis=1).max() > 0


def test_a_taste_drifts_and_keeps_its_spread():
    """Habits and popularity off, utilities are tastes: their variance stays, and their correlation falls with drift."""

    def correlation(drift):
        task = Items(num_context=8, num_items=6, taste_dim=4, popularity=0.0, habit=0.0, drift=drift)
        utility = np.asarray(task.log(KEY, 4000).utility, np.float64)
        first, last = utility[:, 0], utility[:, -1]
        np.testing.assert_allclose(last.std(), first.std(), rtol=0.05)
        return np.corrcoef(first.ravel(), last.ravel())[0, 1]

    np.testing.assert_allclose([correlation(0.0), correlation(0.2)], [1.0, 0.8**4], atol=0.05)


def test_times_are_between_0_and_1_and_last_a_visit():
    times = np.asarray(dataclasses.replace(TINY, visit=0.25).log(KEY, 500).times)
    assert times.min() >= 0
    assert times.max() <= 1
    np.testing.assert_allclose(times[:, -1] - times[:, 0], 0.25, rtol=1e-5)
    assert (np.diff(times, axis=1) > 0).all()


def test_logged_sequences_are_episodes_and_padding_is_no_target():
    sequences = jnp.array([[3, 1, 4, PADDING], [5, 2, 6, 0]])
    task = Logged(sequences, 7)
    assert (task.num_context, task.answer_dim) == (3, 7)
    drawn = sampled(task, KEY, 20)
    shown = {tuple(int(item) for item in row) for row in drawn.target}
    assert shown == {(1, 4, -1), (2, 6, 0)}
    episode = jax.tree.map(lambda leaf: leaf[0], task.episodes(sequences))
    np.testing.assert_array_equal(jnp.argmax(episode.prompt.query.x, -1), [3, 1, 4])
    np.testing.assert_array_equal(episode.prompt.answers[2], 0)  # what is not there shows nothing
    losses = task.loss(jnp.zeros((3, 7)), episode.target)
    np.testing.assert_allclose(losses, [np.log(7), np.log(7), 0], rtol=1e-6)


def test_another_world_has_other_items():
    other = dataclasses.replace(TINY, world=1)
    assert not np.allclose(TINY.world_tables[0], other.world_tables[0])
    np.testing.assert_array_equal(TINY.log(KEY, 3).times, other.log(KEY, 3).times)
