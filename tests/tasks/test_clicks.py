"""Click streams: the forward algorithm against a sum over all paths, and what the worlds are made to do."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.click_streams import Clicks, OrderedClicks, before
from tests.compiled import called, one_episode, sampled

SMALL = {"num_context": 2, "num_targets": 2, "num_tastes": 2, "num_categories": 2, "num_brands": 3, "change": 0.3}
FAR = functools.partial(OrderedClicks, lag=3)
WORLDS = (Clicks, OrderedClicks, FAR)
VISIBLE = np.array([[[1, 1, 0, 0], [1, 1, 1, 0]], [[0, 1, 0, 0], [0, 1, 0, 0]], [[0, 0, 0, 0], [1, 0, 1, 0]]], bool)


def by_all_paths(task, prompt, visible):
    """p(click on each query | visible interactions): sums over tastes at all times, and over categories that are not
    seen, all of which are drawn alike. A category is seen where its interaction is, or is the query."""
    probability = np.asarray(jax.nn.sigmoid(task.logits()))
    category, brand = np.asarray(prompt.context.x[:, 0]), np.asarray(prompt.context.x[:, 1]) - task.num_categories
    clicked, length = np.asarray(prompt.answers[:, 1]) > 0, len(prompt.answers)
    stay = (1 - task.change) * np.eye(task.num_tastes) + task.change / task.num_tastes
    result = []
    for q, row in enumerate(visible):
        query, total = task.num_context + q, np.zeros(2)
        hidden = [t for t in range(-task.lag, length) if t < 0 or not (row[t] or t == query)]
        for values in itertools.product(range(task.num_categories), repeat=len(hidden)):
            of = dict(enumerate(category)) | dict(zip(hidden, values, strict=True))
            for path in itertools.product(range(task.num_tastes), repeat=length):
                weight = np.prod([stay[a, b] for a, b in itertools.pairwise(path)])
                for t in np.flatnonzero(row):
                    click = probability[path[t], of[t - task.lag], of[t], brand[t]]
                    weight *= click if clicked[t] else 1 - click
                click = probability[path[query], of[query - task.lag], of[query], brand[query]]
                total += weight * np.array([1 - click, click])
        result.append(np.log(total / total.sum()))
    return np.array(result)


@pytest.mark.parametrize("world", [*WORLDS, functools.partial(OrderedClicks, lag=5)])  # 5: before the stream begins
@pytest.mark.parametrize("visible", VISIBLE, ids=["all", "window", "gaps"])
def test_optimal_is_the_sum_over_all_paths(world, visible, float64):
    task = world(**SMALL)
    prompt = one_episode(task, jax.random.key(3)).prompt
    result = called(task.optimal, prompt.replace(visible=jnp.array(visible)))
    np.testing.assert_allclose(result, by_all_paths(task, prompt, visible), atol=1e-12)


@pytest.mark.parametrize("world", WORLDS)
def test_more_history_is_worth_more(world):
    task, users = world(num_context=6, num_targets=6), 1000

    @jax.jit
    def losses(key):
        episodes = sampled(task, key, users)
        shown = {"item": jnp.zeros((6, 12), bool), "window": before(6, 6, 3), "all": before(6, 6)}
        answers = {
            name: jax.vmap(lambda prompt, seen=seen: task.optimal(prompt.replace(visible=seen)))(episodes.prompt)
            for name, seen in shown.items()
        }
        return {name: jax.vmap(task.loss)(answer, episodes.target).mean(axis=1) for name, answer in answers.items()}

    result = losses(jax.random.key(0))
    for worse, better in (("item", "window"), ("window", "all")):
        gain = np.asarray(result[worse] - result[better])
        assert gain.mean() > 3 * gain.std() / np.sqrt(users)


@pytest.mark.parametrize("lag", [1, 4])
def test_a_click_depends_on_the_category_of_the_item_so_many_interactions_before(lag):
    """Logits of hundreds, so that a click is a function of taste, category and brand."""
    task = OrderedClicks(num_context=0, num_targets=60, num_tastes=2, change=0.0, strength=1e3, lag=lag)
    episodes = sampled(task, jax.random.key(0), 20)
    category, brand = (np.asarray(episodes.prompt.context.x[..., i]) for i in (0, 1))
    clicks_ZxAxB = np.asarray(task.logits())[:, :, 0] > 0
    expected = clicks_ZxAxB[:, category[:, :-lag], brand[:, lag:] - task.num_categories]
    clicked = np.asarray(episodes.prompt.answers[:, lag:, 1]) > 0
    assert np.all((expected == clicked).all(axis=2).any(axis=0)), "each user has one of the tastes"


@pytest.mark.parametrize("world", WORLDS)
def test_a_users_stream_depends_on_the_key_and_on_the_user_alone(world):
    few, many = (sampled(world(**SMALL), jax.random.key(1), batch) for batch in (3, 5))
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b[:3]), few, many)
    other = sampled(world(**SMALL), jax.random.key(2), 5)
    assert np.any(np.asarray(many.prompt.context.x) != np.asarray(other.prompt.context.x))


@pytest.mark.parametrize("world", WORLDS)
def test_logits_vary_as_much_in_both_worlds(world):
    logits = np.asarray(world(num_tastes=40, num_categories=40, num_brands=40, strength=1.5).logits())
    assert logits.std() == pytest.approx(1.5 * np.sqrt(2), rel=0.05)  # 3,200 normal numbers at least
    order_matters = np.ptp(logits, axis=1).max() > 0
    assert order_matters == (world is not Clicks)
