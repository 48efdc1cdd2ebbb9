"""Searched demonstrations of a user's past: what the search may see, and the answers that they give."""

import dataclasses
import itertools

import jax
import numpy as np
import pytest

from experiments.recommendation.recommend.measure import candidates
from experiments.recommendation.recommend.results import ALL, SAMPLED
from experiments.recommendation.recommend.searched import Pasts
from experiments.recommendation.recommend.settings import DemonstrationSearch
from experiments.recommendation.recommend.splits import Parts
from lab.config.choices import SearchMethod
from lab.layouts.merged import TokenLayout
from lab.learners.descent import GradientDescent
from lab.learners.item_context import ItemContext
from tasks.ranking import METRICS
from tests.command_line import ran
from tests.run_files import check_experiment, directory_of, table
from tests.tiny_runs import words_of

COUNT, USERS, WIDTH = 9, 30, 4
SEARCH = DemonstrationSearch(
    methods=[*SearchMethod], validation=2, examples=3, proposals=4, rounds=3, step=0.5, floor=0.05, threshold=0.3
)
KEY = jax.random.key(0)


@pytest.fixture
def learner(float64):
    step = GradientDescent(TokenLayout((("x", WIDTH + 1),), WIDTH), 1.0)
    return ItemContext(COUNT, WIDTH, step, jax.random.key(1))


@pytest.fixture
def parts(float64):
    items = np.random.default_rng(0).integers(0, COUNT, (USERS, 10))
    return Parts(items, items, np.full(USERS, 9), None)


def numpy_scores(learner, demonstrations, last):
    """Scores of all items after `last`: W takes one step of rate 1 from W_0 on the demonstrations' mean squared error,
    written out."""
    e, after_item, w, bias = (
        np.asarray(each[...]) for each in (learner.before, learner.after, learner.start, learner.bias)
    )
    f = np.concatenate([e, np.ones((COUNT, 1))], axis=1)
    change = sum(np.outer(after_item[j] - w @ f[i], f[i]) for i, j in demonstrations) / max(len(demonstrations), 1)
    return after_item @ (w + change) @ f[last] + bias


def measured(learner, parts, method=SearchMethod.three_paths, **changes):
    slates = candidates(jax.random.key(2), parts.target, COUNT, 4)
    search = dataclasses.replace(SEARCH, **changes)
    return slates, Pasts(search, learner, parts, COUNT, slates, chunk=15).searched(method, KEY)


@pytest.mark.slow
@pytest.mark.parametrize("method", [*SearchMethod])
def test_a_set_as_large_as_the_pool_is_all_of_it(learner, parts, method):
    """Ten items are nine transitions: six of the pool, two of validation, and the test. A collapsed path that gets the
    same six again answers as before, as its step is on the mean of the loss."""
    slates, measures = measured(learner, parts, method, examples=6)
    for user, (items, slate) in enumerate(zip(parts.test, slates, strict=True)):
        pool = list(itertools.pairwise(items[:7]))
        scores = numpy_scores(learner, pool, items[8])
        for kind, candidate_scores, right in ((SAMPLED, scores[slate], 0), (ALL, scores, items[9])):
            rank = 1 + np.sum(candidate_scores > candidate_scores[right])
            assert measures[kind]["mrr"][user] == pytest.approx(1 / rank, abs=1e-12)


@pytest.mark.slow
def test_the_search_does_not_see_what_it_is_tested_on(learner, parts):
    """Of two candidates either is right once, and no score depends on which: one is ranked first, the other second."""
    slates = candidates(jax.random.key(2), parts.target, COUNT, 1)
    ranks = 0
    for right in (0, 1):
        test = np.concatenate([parts.test[:, :-1], slates[:, [right]]], axis=1)
        with_this = dataclasses.replace(parts, test=test)
        pasts = Pasts(SEARCH, learner, with_this, COUNT, slates[:, [right, 1 - right]], chunk=USERS)
        measures = pasts.searched(SearchMethod.three_paths, KEY)
        ranks = ranks + 1 / measures[SAMPLED]["mrr"]
    np.testing.assert_allclose(ranks, 3, atol=1e-12)


@pytest.mark.slow
def test_users_are_searched_in_parts(learner, parts):
    slates = candidates(jax.random.key(2), parts.target, COUNT, 4)
    method = SearchMethod.one_path
    first, second = (Pasts(SEARCH, learner, parts, COUNT, slates, chunk).searched(method, KEY) for chunk in (20, USERS))
    for kind in (SAMPLED, ALL):
        for name in METRICS:
            np.testing.assert_allclose(first[kind][name], second[kind][name], atol=1e-12)


@pytest.mark.slow
def test_prompts_that_no_search_made(learner, parts):
    """None, where W stays W_0, and all of the pool, against the formula; random ones are others for other keys."""
    slates = candidates(jax.random.key(2), parts.target, COUNT, 4)
    pasts = Pasts(SEARCH, learner, parts, COUNT, slates, chunk=20)
    first, second = (pasts.unsearched(jax.random.key(seed)) for seed in (0, 1))
    for name, examples in (("zero_shot", 0), ("pool", 6)):
        for user, items in enumerate(parts.test):
            scores = numpy_scores(learner, list(itertools.pairwise(items[:7]))[:examples], items[8])
            rank = 1 + np.sum(scores > scores[items[9]])
            assert first[name][ALL]["mrr"][user] == pytest.approx(1 / rank, abs=1e-12)
        np.testing.assert_array_equal(first[name][ALL]["mrr"], second[name][ALL]["mrr"])
    assert np.any(first["random"][ALL]["mrr"] != second["random"][ALL]["mrr"])
    np.testing.assert_array_equal(first["random_twice"][ALL]["mrr"], first["pool"][ALL]["mrr"])  # twice 3 of 6


@pytest.mark.slow
def test_searches_from_the_command_line(tmp_path, drawn):
    """All prompts are measured on the users of the recommenders, and the answer says how good searched ones are."""
    tiny = [
        word for word in words_of("recommend") if not word.startswith(("experiment=", "splits=", "task.num_context="))
    ]
    searches = ["search.validation=2", "search.examples=2", "search.rounds=2", "task.num_context=8"]
    ran("experiment=recommend_searched", *tiny, *searches, cwd=tmp_path)
    directory = directory_of(tmp_path)
    summary = check_experiment(directory, "recommend_searched")
    assert "on searched demonstrations it reaches" in summary["answer"]
    rows = table(directory, "learners")
    examples = {row["learner"]: float(row["examples"]) for row in rows if row["examples"] and row["seed"] == "640"}
    assert 2 <= examples.pop("three_paths") <= 4
    assert examples == {"zero_shot": 0, "random": 2, "random_twice": 4, "pool": 5, "one_path": 2}
    assert len({row["users"] for row in rows if row["learner"] != "chance" and row["seed"] == "640"}) == 1
