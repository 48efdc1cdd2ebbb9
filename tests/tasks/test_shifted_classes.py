"""`shifted_classes`: what is drawn, and its Bayes-optimal answer against dense joint Gaussians."""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from tasks.plain import Plain
from tasks.shifted_classes import ShiftedClasses
from tasks.wrapper import Prefix
from tests.compiled import sampled
from trainers.population import stacked

KEY = jax.random.key(0)
SMALL: dict[str, Any] = {"num_context": 5, "num_queries": 3, "input_dim": 2, "num_classes": 3}


def joint_log_density(points, prototype, noise, shift):
    """Of points (n, X) of one class: coordinates are independent, and all points share the mean's deviation."""
    if not len(points):
        return 0.0
    covariance = noise**2 * np.eye(len(points)) + shift**2
    return sum(
        multivariate_normal.logpdf(points[:, i], np.full(len(points), prototype[i]), covariance)
        for i in range(points.shape[1])
    )


def brute_force(task, examples, labels, query):
    """log p(y | examples, query), normalised, from the joint density of everything under every order of labels."""
    classes, prototypes = task.num_classes, np.asarray(task.prototypes)
    orders = [*itertools.permutations(range(classes))]  # order[k]: the label of class k
    scores = np.full((classes, len(orders)), -np.inf)
    for number, order in enumerate(orders):
        prior = float(task.permuted) / len(orders) + (1 - float(task.permuted)) * (order == tuple(range(classes)))
        if prior == 0:
            continue
        for answer in range(classes):
            scores[answer, number] = np.log(prior)
            for k in range(classes):
                points = [x for x, label in zip(examples, labels, strict=True) if label == order[k]]
                points += [query] if answer == order[k] else []
                scores[answer, number] += joint_log_density(
                    np.reshape(points, (-1, task.input_dim)), prototypes[k], float(task.noise), float(task.shift)
                )
    logits = logsumexp(scores, axis=1)
    return logits - logsumexp(logits)


@pytest.mark.parametrize(("permuted", "classes"), [(0.0, 3), (0.4, 3), (1.0, 3), (0.0, 7)])
def test_the_optimal_answer_is_that_of_the_joint_density(permuted, classes, float64):
    """Within 1e-10: sums of some hundred numbers of the size 100 in double precision."""
    task = ShiftedClasses(**SMALL | {"num_classes": classes}, noise=1.3, shift=0.8, permuted=permuted)
    prompts = sampled(task, KEY, 4).prompt
    shown = np.array([[[True] * n + [False] * (5 - n)] for n in (0, 2, 4, 5)]).repeat(3, axis=1)
    prompts = prompts.replace(visible=jnp.asarray(shown))
    answers = jax.nn.log_softmax(jax.jit(jax.vmap(task.optimal))(prompts))
    for b, q in itertools.product(range(4), range(3)):
        seen = shown[b, q]
        labels = np.argmax(prompts.answers[b], axis=-1)[seen]
        expected = brute_force(task, np.asarray(prompts.context.x[b])[seen], labels, np.asarray(prompts.query.x[b, q]))
        np.testing.assert_allclose(answers[b, q], expected, rtol=0, atol=1e-10)


def test_what_an_episode_shows():
    """Bounds of 5 standard errors of the shares of 4000 episodes."""
    task = ShiftedClasses(empty=0.1, permuted=0.5, label_noise=0.4)
    episodes = sampled(task, KEY, 4000)
    shown = np.asarray(episodes.prompt.visible)
    assert (shown[:, :, :-1] >= shown[:, :, 1:]).all()
    assert (shown == shown[:, :1]).all()
    share = (~shown.any(axis=(1, 2))).mean()
    expected = 0.1 + 0.9 / 17
    assert abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / 4000)
    np.testing.assert_array_equal(episodes.prompt.answers.sum(axis=-1), 1.0)
    assert set(np.unique(episodes.target)) == {0, 1, 2, 3}


def test_options_change_labels_alone():
    """Permuted labels are one permutation per episode; noise replaces the labels of examples, never of queries."""
    each: list[dict[str, Any]] = [{}, {"permuted": 1.0}, {"label_noise": 0.4}]
    plain, permuted, noisy = (sampled(ShiftedClasses(**options), KEY, 500) for options in each)
    np.testing.assert_array_equal(plain.prompt.context.x, permuted.prompt.context.x)
    before, after = (np.argmax(each.prompt.answers, axis=-1) for each in (plain, permuted))
    for b in range(500):
        pairs = {*zip(before[b].tolist(), after[b].tolist(), strict=True)}
        pairs |= {*zip(plain.target[b].tolist(), permuted.target[b].tolist(), strict=True)}
        assert len(pairs) == len({first for first, _ in pairs}) == len({second for _, second in pairs})
    assert 0.5 < (before != after).mean() < 0.95  # 3/4 on average
    np.testing.assert_array_equal(plain.target, noisy.target)
    changed = (np.argmax(noisy.prompt.answers, axis=-1) != before).mean()
    assert abs(changed - 0.4 * 3 / 4) < 5 * np.sqrt(0.3 * 0.7 / before.size)


@pytest.mark.parametrize("options", [{"label_noise": 0.1}, {"num_classes": 7, "permuted": 0.1}])
def test_no_answer_is_optimal_where_labels_are_noisy_or_permuted_in_too_many_ways(options):
    task = ShiftedClasses(**SMALL | options)
    assert np.isnan(jax.jit(jax.vmap(task.optimal))(sampled(task, KEY, 1).prompt)).all()


def test_loss_and_accuracy_by_hand():
    logits, labels = jnp.log(jnp.array([[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]])), jnp.array([0, 1])
    task = ShiftedClasses(num_classes=3)
    np.testing.assert_allclose(task.loss(logits, labels), -np.log([0.5, 0.2]), rtol=1e-6)
    np.testing.assert_array_equal(task.scores(logits, labels)["accuracy"], [1.0, 0.0])
    bad = jnp.array([[jnp.nan, 0, 0], [0, jnp.nan, 0], [jnp.inf, jnp.inf, 0], [0, -jnp.inf, -jnp.inf]])
    right = task.scores(bad, jnp.zeros(4, int))["accuracy"]
    np.testing.assert_array_equal(right, [np.nan, np.nan, np.nan, 1], "a class may be impossible")


@pytest.mark.slow
@pytest.mark.parametrize("task", [ShiftedClasses(**SMALL), Plain(num_context=5, input_dim=2, num_queries=3)])
def test_a_prefix_shows_the_first_examples_of_the_same_episodes(task):
    whole, first = sampled(task, KEY, 4), sampled(Prefix(task, jnp.asarray(2)), KEY, 4)
    expected = np.broadcast_to(np.array([True, True, False, False, False]), (4, 3, 5))
    np.testing.assert_array_equal(first.prompt.visible, expected)
    np.testing.assert_array_equal(first.prompt.context.x, whole.prompt.context.x)
    np.testing.assert_array_equal(first.target, whole.target)
    optimal = jax.jit(jax.vmap(task.optimal))
    answers = optimal(first.prompt)
    shorter = jax.tree.map(lambda leaf: leaf[:, :2], (first.prompt.context, first.prompt.answers))
    cut = first.prompt.replace(context=shorter[0], answers=shorter[1], visible=None)
    if isinstance(task, ShiftedClasses):
        cut = cut.replace(visible=jnp.ones((4, 3, 2), bool))
    np.testing.assert_allclose(answers, optimal(cut), atol=1e-4)


def test_every_seed_of_a_run_has_a_world_of_its_own():
    """And one that is traced has the prototypes of its number, however many are in one program."""
    first, second = (ShiftedClasses(num_classes=3, world=world) for world in (3, 5))
    (traced,) = ShiftedClasses.together([first])
    together = jax.jit(jax.vmap(lambda one: one.prototypes))(stacked([traced.of_seed(seed) for seed in (0, 2)]))
    for task, prototypes in zip((first, second), together, strict=True):
        np.testing.assert_allclose(prototypes, task.prototypes, rtol=1e-6)
    assert not np.allclose(*together)


def test_balanced_examples_come_in_rounds_of_all_classes():
    """In another order each; queries are drawn as they are without."""
    plain, balanced = (ShiftedClasses(num_context=6, num_classes=4, balanced=value) for value in (False, True))
    one, other = (sampled(task, KEY, 50) for task in (plain, balanced))
    np.testing.assert_array_equal(one.target, other.target)
    shown_BxN = np.argmax(other.prompt.answers, axis=-1)
    np.testing.assert_array_equal(np.sort(shown_BxN[:, :4], axis=1), np.tile(np.arange(4), (50, 1)))
    assert all(len({*row}) == 2 for row in shown_BxN[:, 4:].tolist())
    assert len({tuple(row) for row in shown_BxN[:, :4].tolist()}) > 15, "of 24 orders"
    assert len({len({*row}) for row in np.argmax(one.prompt.answers, axis=-1)[:, :4].tolist()}) > 1
