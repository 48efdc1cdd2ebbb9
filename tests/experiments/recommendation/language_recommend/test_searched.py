"""What a language model is asked for in a search: no prompt has an item of the test, and measures are recomputed."""

import dataclasses
import hashlib
import math
from typing import Any

import jax
import numpy as np
import pytest

from experiments.recommendation.language_recommend import prompts, searched
from experiments.recommendation.language_recommend.ask import Asker
from experiments.recommendation.language_recommend.search import PERTURBED, SEARCHES, Plan, search
from experiments.recommendation.language_recommend.searched import User, Writing
from experiments.recommendation.language_recommend.written import round_rows
from experiments.recommendation.recommend.splits import SPLITS
from lab.config.choices import Split
from lab.language.scoring import Scores
from lab.language.tokens import Tokenizer
from tests.command_line import ran
from tests.experiments.recommendation.language_recommend.logs import of_different_items
from tests.run_files import check_experiment, table
from tests.tiny_runs import prepared, words_of

PLAN = Plan(2, 4, 3, 0.4)
WRITING = Writing(2, 5, 1.0, np.zeros(0, bool))


class Letters(Tokenizer):
    """A tokenizer whose tokens are the letters of a text."""

    def __init__(self):
        pass

    def encode(self, text, special=False):
        return [1] * special + [ord(each) for each in text]

    def decode(self, tokens):
        return "".join(map(chr, tokens))


@dataclasses.dataclass(frozen=True)
class Recorded(Asker):
    """An asker that remembers every text, and whose numbers come from a hash of text and title; few are different, so
    that some tie. `salted`: texts that have other numbers."""

    asked: list = dataclasses.field(default_factory=list)
    salted: str = ""

    def scores(self, text, candidates):
        self.asked.append((text, tuple(candidates)))
        salt = "x" if self.salted and text.endswith(self.salted) else ""
        digests = [hashlib.sha256(f"{salt}{text}|{self.names[item]}".encode()).digest() for item in candidates]
        means = np.array([[-float(digest[0] % 9) for digest in digests]])
        return Scores(means * 3, np.full(means.shape, 3))


@pytest.fixture
def written(monkeypatch):
    """The prompts behind which titles were to be written."""
    prompts = []

    def sample(model, tokens, ends_V, key, count, most, temperature):
        prompts.append(Letters().decode(tokens[1:]))
        drawn = jax.random.randint(key, (count,), 0, 26)
        return [[ord(" "), ord("a") + int(each), ord(" ")] for each in drawn]

    monkeypatch.setattr(searched, "sample", sample)
    return prompts


def asker(count, salted=""):
    nobody: Any = None  # no model is asked
    return Recorded(nobody, Letters(), [f"<{item}>" for item in range(count)], 2, salted=salted)


@pytest.mark.parametrize("split", [*Split])
def test_nothing_of_the_test_is_in_a_prompt_of_the_search(split, written):
    """Every item of a user is another one here, so the one to predict, and all after it, can be looked for. The
    validation item is only in the past of the test item."""
    log = of_different_items([4, 7, 2, 9, 5])
    parts, starts, count = SPLITS[split](log, 0.4), log.starts, len(log.items)
    walked = 0
    for user, target in enumerate(parts.target):
        ask, watched = asker(count), prompts.watched(parts, user)
        validation, owner = watched[-1], np.searchsorted(starts, target, "right")
        slates = [[validation, *range(count, count)], [int(target)]]
        User(ask, watched, 3, slates).searched(PLAN, WRITING, jax.random.key(user))
        tests = [text for text, candidates in ask.asked if candidates == (int(target),)]
        assert 1 <= len(tests) <= 1 + 2 * PLAN.rounds
        texts = [text for text, candidates in ask.asked if candidates == (validation,)] + written
        walked += len(texts)
        for text in [*texts, *tests]:
            assert not [item for item in range(target, starts[owner]) if f"<{item}>" in text]
        for text in texts:
            assert f"<{validation}>" not in text
        for text in tests:
            assert text.endswith(f"<{validation}>\nNext:")
            assert text.count(f"<{validation}>") == 1
        assert all(text.endswith("\nNext:") for text in texts)
        written.clear()
    assert walked > 20


def test_measures_are_those_of_ranks_that_are_counted_by_hand(written):
    """Of both searches in every round, and the search does not depend on the numbers of the test."""
    slates = [[5, 20, 21, 22, 23], [6, 24, 25, 26, 27]]
    watched = [0, 1, 2, 3, 4, 5]
    ask = asker(30)
    tree = User(ask, watched, 3, slates).searched(PLAN, WRITING, jax.random.key(3))
    other = User(asker(30, "<5>\nNext:"), watched, 3, slates).searched(PLAN, WRITING, jax.random.key(3))
    assert any((tree[name]["mrr"] != other[name]["mrr"]).any() for name in SEARCHES), (
        "the test's own numbers are others"
    )
    user = User(asker(30), watched, 3, slates)
    assert len(ask.asked) == len({*ask.asked}), "nothing is asked for twice"
    for name in SEARCHES:
        for column in ("validation", "examples", "similarity", "collapsed"):
            np.testing.assert_array_equal(tree[name][column], other[name][column])
        rounds = search(
            PLAN,
            user.pasts,
            lambda *three: user.write(three[0], three[1], three[2], WRITING),
            user.judge,
            jax.random.key(3),
            name == PERTURBED,
        )
        for number, each in enumerate(rounds):
            memory = each.memories[each.scores.index(max(each.scores))]
            front = "".join(f"Watched: {'; '.join(one.past)}\nNext: {one.title}\n" for one in memory)
            validation = ranks_by_hand(ask, front + "Watched: <2>; <3>; <4>\nNext:", slates[0])
            test = ranks_by_hand(ask, front + "Watched: <3>; <4>; <5>\nNext:", slates[1])
            assert tree[name]["examples"][number] == len(memory)
            close(tree[name]["validation"][number], mean(1 / math.log2(rank + 1) for rank in validation))
            close(tree[name]["effect"][number], mean(1 / math.log2(rank + 1) for rank in test))
            close(tree[name]["ndcg_1"][number], mean(float(rank == 1) for rank in test))
            close(tree[name]["mrr"][number], mean(1 / rank for rank in test))
        np.testing.assert_array_equal(np.isnan(tree[name]["similarity"]), [True, True, False, False, False])


def ranks_by_hand(ask, text, slate):
    """The ranks that the first candidate may have, where others have the same number."""
    numbers = ask.scores(text, slate).means[0].tolist()
    above, same = sum(each > numbers[0] for each in numbers), sum(each == numbers[0] for each in numbers)
    return list(range(above + 1, above + same + 1))


def mean(values):
    values = [*values]
    return sum(values) / len(values)


def close(value, expected):
    np.testing.assert_allclose(value, expected, rtol=1e-6)  # float32


def test_a_user_with_one_item_is_asked_about_nothing(written):
    ask = asker(4)
    User(ask, [0], 3, [[0, 1], [2, 3]]).searched(PLAN, WRITING, jax.random.key(0))
    assert ask.asked[0] == ("Watched: N/A\nNext:", (0, 1))
    assert written[0] == "Watched: N/A\nNext:"


def test_rows_are_means_over_users_and_differences_to_the_start():
    draw = np.random.default_rng(0)
    columns = ("validation", "ndcg_10", "effect", "examples", "collapsed", "similarity")
    users = [{name: {column: draw.random(3) for column in columns} for name in SEARCHES} for _ in range(5)]
    for user in users:
        for name in SEARCHES:
            user[name]["similarity"][:2] = np.nan
    rows = round_rows(users)
    assert [(row["method"], row["round"]) for row in rows] == [(name, each) for name in SEARCHES for each in range(3)]
    for row in rows:
        values = {column: [user[row["method"]][column] for user in users] for column in columns}
        for column in columns[:-1]:
            agrees(row, column, [each[row["round"]] for each in values[column]])
        for column in columns[:3]:
            agrees(row, f"{column}_gain", [each[row["round"]] - each[0] for each in values[column]])
        if row["round"] < 2:
            assert row["similarity"] is row["similarity.stderr"] is None
        else:
            agrees(row, "similarity", [each[row["round"]] for each in values["similarity"]])


def agrees(row, column, values):
    average = sum(values) / len(values)
    variance = sum((value - average) ** 2 for value in values) / (len(values) - 1)
    np.testing.assert_allclose(row[column], average, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(row[f"{column}.stderr"], math.sqrt(variance / len(values)), rtol=1e-6, atol=1e-12)


@pytest.mark.slow
def test_a_search_from_the_command_line(tmp_path, drawn):
    """With recommenders that are counted, and the start under its name of the kind's other runs."""
    prepared("language_recommend", tmp_path)
    words = [word for word in words_of("language_recommend") if not word.startswith("experiment=")]
    ran("experiment=language_recommend_searched", *words, "written.rounds=2", cwd=tmp_path)
    (directory,) = tmp_path.glob("runs/language_recommend_searched/*")  # beside the run that trained the model
    summary = check_experiment(directory, "language_recommend_searched")
    assert "a search has chosen it reaches" in summary["answer"]
    assert not summary["claims"]
    learners = {row["learner"] for row in table(directory, "learners")}
    assert learners == {"chance", "popularity", "markov", "alone_mean", "kept", "perturbed"}
    rounds = table(directory, "rounds")
    assert len(rounds) == 2 * 2 * 3
    for seed in ("0", "1"):
        (start,) = (row for row in rounds if (row["seed"], row["method"], row["round"]) == (seed, "kept", "0"))
        (alone,) = (
            row
            for row in table(directory, "learners")
            if (row["seed"], row["learner"], row["candidates"]) == (seed, "alone_mean", "sampled")
        )
        assert start["ndcg_10"] == alone["ndcg_10"]
