"""The search for demonstrations: its rounds against a second one in NumPy, its sets, and what it is held against."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.metrics.ranking import chance
from experiments.demonstrations.demonstrations import measure
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from tasks import ranking
from tasks.recommend import Recommend
from tests.compiled import sampled
from trainers.demonstration_search import Appended, Numbers, Plan, User, answers, draw, jaccard, search

TASK = Recommend(num_context=9, num_queries=7, item_dim=3, slate=8, contamination=0.5)
PLAN = Plan(paths=3, proposals=4, examples=3, rounds=4, validation=4, test=3)
PATHS = Numbers(paths=3, proposals=4, appended=int(Appended.nothing), step=0.5, floor=0.05, threshold=0.3)
KEY = jax.random.key(0)


@pytest.fixture
def user():
    return jax.tree.map(lambda leaf: leaf[0], User(*_drawn()))


def _drawn():
    episodes = sampled(TASK, KEY, 1)
    return episodes.prompt, episodes.target


@pytest.fixture
def learner():
    return GradientDescent(TokenLayout.of(TASK), 1.0)


searched = jax.jit(search, static_argnames="plan")


def numpy_ranks(user, chosen, queries):
    """Of one step of gradient descent, written out: the answer is the mean of x+ <f, f_q>."""
    f, x = np.asarray(user.prompt.context.x)[chosen], np.asarray(user.prompt.answers)[chosen]
    ranks = []
    for q in queries:
        answer = x.T @ (f @ np.asarray(user.prompt.query.x)[q])
        scores = np.asarray(user.slate.items)[q] @ answer
        ranks.append(1 + np.sum(scores > scores[user.slate.index[q]]))
    return np.array(ranks)


def numpy_search(user, key, plan, numbers):
    """The same with loops; random sets are those of `draw`."""
    size = len(user.prompt.answers)
    pi = np.full((plan.paths, size), plan.examples / size)
    current, added, longer = None, [None] * plan.paths, [False] * plan.paths
    rows = []
    for round_key in jax.random.split(key, plan.rounds):
        keys, random_keys = (jax.random.split(each, plan.paths) for each in jax.random.split(round_key))
        sets, scores = [], []
        for p in range(numbers.paths):
            weights = jnp.asarray(np.log(pi[p]))
            drawn = [np.asarray(draw(k, weights, plan.examples)) for k in jax.random.split(keys[p], plan.proposals)]
            drawn = drawn[: numbers.proposals] + ([] if current is None else [current[p]])
            shown = [np.concatenate([each, added[p]]) if longer[p] else each for each in drawn]
            score = [np.mean(1 / np.log2(numpy_ranks(user, each, range(plan.validation)) + 1)) for each in shown]
            order = np.argsort(-np.round(score, 6), kind="stable")
            elite = (np.isin(range(size), drawn[order[0]]) + 1.0 * np.isin(range(size), drawn[order[1]])) / 2
            pi[p] = np.maximum((1 - numbers.step) * pi[p] + numbers.step * elite, numbers.floor)
            sets.append(drawn[order[0]])
            scores.append(score[order[0]])
        best = int(np.argmax(np.round(scores, 6)))
        shown = np.concatenate([sets[best], added[best]]) if longer[best] else sets[best]
        ranks = numpy_ranks(user, shown, range(TASK.num_queries - plan.test, TASK.num_queries))
        row = {"validation": scores[best], "examples": len(shown), "mrr": np.mean(1 / ranks)}
        similar = [0.0] * plan.paths
        if current is not None:
            similar = [len({*a} & {*b}) / len({*a} | {*b}) for a, b in zip(sets, current, strict=True)]
            row["similarity"] = np.mean(similar)
        current = sets
        longer = [numbers.appended != 0 and value > numbers.threshold for value in similar]
        nexts = [sets[(p + 1) % numbers.paths] for p in range(numbers.paths)]
        random = [np.asarray(draw(k, jnp.zeros(size), plan.examples)) for k in random_keys]
        steps = [int(jax.random.randint(k, (), 1, numbers.paths)) for k in random_keys[: numbers.paths]]
        any_other = [sets[(p + step) % numbers.paths] for p, step in enumerate(steps)]
        added = {int(Appended.path): nexts, int(Appended.other): any_other}.get(int(numbers.appended), random)
        rows.append(row)
    return rows, current


@pytest.mark.slow
@pytest.mark.parametrize("appended", Appended)
@pytest.mark.parametrize(("paths", "proposals"), [(3, 4), (2, 3)])
def test_rounds_are_those_of_a_search_with_loops(user, learner, appended, paths, proposals):
    numbers = PATHS.replace(paths=paths, proposals=proposals, appended=int(appended))
    rows, current = searched(learner, user, KEY, PLAN, numbers)
    expected, sets = numpy_search(user, KEY, PLAN, numbers)
    np.testing.assert_array_equal(np.asarray(current)[:paths], sets)
    for name in ("validation", "examples", "mrr"):
        np.testing.assert_allclose(rows[name], [row[name] for row in expected], rtol=1e-5)
    assert np.isnan(rows["similarity"][0])
    np.testing.assert_allclose(rows["similarity"][1:], [row["similarity"] for row in expected[1:]], rtol=1e-5)
    if appended is not Appended.nothing:
        assert set(np.asarray(rows["examples"])) == {3.0, 6.0}  # some prompts were longer


def test_unused_paths_and_proposals_change_nothing(user, learner):
    """A search of one path in a program for three is the same as in one of its own: methods share programs."""
    one = PATHS.replace(paths=1, proposals=2)
    rows, current = searched(learner, user, KEY, PLAN, one)
    alone, of_one = searched(learner, user, KEY, dataclasses.replace(PLAN, paths=1), one)
    for name, values in rows.items():
        np.testing.assert_array_equal(values, alone[name])
    np.testing.assert_array_equal(current[:1], of_one)


def test_a_path_never_gets_worse_on_validation(user, learner):
    """Without perturbation its current set stays a candidate; where scores are level, a new set takes its place."""
    plan, numbers = dataclasses.replace(PLAN, rounds=10, validation=2), PATHS.replace(paths=1)
    rows, _ = jax.jit(jax.vmap(lambda key: search(learner, user, key, plan, numbers)))(jax.random.split(KEY, 20))
    changes = np.diff(rows["validation"])
    assert np.all(changes >= 0)
    assert np.min(np.asarray(rows["similarity"])[:, 1:][changes == 0]) < 1


def test_demonstrations_are_drawn_in_proportion_to_their_weights():
    keys = jax.random.split(KEY, 4000)
    weights = jnp.array([0.1, 0.2, 0.7])
    first = jax.vmap(lambda key: draw(key, jnp.log(weights), 1)[0])(keys)
    shares = np.bincount(first, minlength=3) / 4000
    np.testing.assert_allclose(shares, weights, atol=5 * np.sqrt(0.25 / 4000))


def test_sets_are_different_demonstrations_and_jaccard_counts_them():
    log_weights = jnp.array([0.0, 50.0, 0.0, 50.0, 0.0])
    for seed in range(20):
        chosen = np.asarray(draw(jax.random.key(seed), log_weights, 3))
        assert len({*chosen}) == 3
        assert {1, 3} < {*chosen}
    assert float(jaccard(jnp.array([1, 2, 3]), jnp.array([3, 4, 1]))) == pytest.approx(2 / 4)
    assert float(jaccard(jnp.array([1, 2]), jnp.array([2, 1]))) == 1


def test_similarity_of_random_sets_is_not_zero():
    """8 of 40 twice: on average .11, as the hypergeometric distribution has it."""
    keys = jax.random.split(KEY, 2000)
    sets = jax.vmap(lambda key: draw(key, jnp.zeros(40), 8))(keys)
    values = np.asarray(jax.vmap(jaccard)(sets[::2], sets[1::2]))
    from scipy.stats import hypergeom

    both = np.arange(9)
    expected = np.sum(hypergeom(40, 8, 8).pmf(both) * both / (16 - both))
    assert expected == pytest.approx(0.11, abs=0.01)
    assert abs(values.mean() - expected) < 5 * values.std() / np.sqrt(len(values))


@pytest.mark.slow
def test_references_show_what_they_say(user, learner):
    test = range(4, 7)
    measured = measure.best_singles(learner, user, (2, 4), 4, 3)
    score = [np.mean(1 / np.log2(numpy_ranks(user, [m], range(4)) + 1)) for m in range(9)]
    best = np.argsort(-np.round(score, 6), kind="stable")
    for count in (2, 4):
        expected = np.mean(1 / numpy_ranks(user, best[:count], test))
        assert float(measured[f"singles_{count}"]["mrr"]) == pytest.approx(expected, rel=1e-5)
    others = measure.without_search(learner, user, KEY, (3,), 3)
    assert {*others} == {"random_3", "whole_pool", "zero_shot"}
    assert float(others["zero_shot"]["mrr"]) == pytest.approx(chance(8)["mrr"], rel=1e-5), "all candidates tie"
    assert float(others["whole_pool"]["mrr"]) == pytest.approx(
        np.mean(1 / numpy_ranks(user, np.arange(9), test)), rel=1e-5
    )
    validation, tested = measure.effects(learner, user, KEY, 3, 4, 3)
    assert validation.shape == tested.shape == (measure.SETS,)
    sets = [draw(key, jnp.zeros(9), 3) for key in jax.random.split(KEY, measure.SETS)]
    expected = [np.mean(1 / np.log2(numpy_ranks(user, np.asarray(each), test) + 1)) for each in sets]
    np.testing.assert_allclose(tested, expected, rtol=1e-5)


def test_a_rate_of_descent_changes_no_rank(user):
    for eta in (0.1, 10.0):
        answer = answers(GradientDescent(TokenLayout.of(TASK), eta), user.part(slice(4)).prompt, jnp.arange(3))
        ranks = ranking.ranks(user.slate.scores(jnp.pad(answer, ((0, 3), (0, 0))))[:4], user.slate.index[:4])
        np.testing.assert_array_equal(ranks.first, ranks.last)
        np.testing.assert_array_equal(ranks.first, numpy_ranks(user, np.arange(3), range(4)))
