"""`recommend` on a tiny budget: splits and counts by hand, then from the command to tables, figure and verdicts."""

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from experiments.recommendation.recommend.learners import COUNTED, TRAINED, shares, transitions
from experiments.recommendation.recommend.measure import candidates, measure, scores
from experiments.recommendation.recommend.results import ALL, SAMPLED
from experiments.recommendation.recommend.run import at_most
from experiments.recommendation.recommend.splits import Log, Parts, global_time, leave_one_out
from lab.config.compose import compose
from tasks.item_sequences import Logged
from tests.command_line import lab_here, ran
from tests.run_files import check_experiment, table
from tests.tiny_runs import words_of

pytestmark = pytest.mark.slow  # whole experiments

WORDS = words_of("recommend")
LEARNERS = {"chance", "popularity", "markov", "low_rank", "descent", "gru", "sasrec", "truth"}
UTILITY = np.arange(4 * 4 * 7).reshape(4, 4, 7).astype(float)
LOG = Log.of(
    items=np.array([[3, 1, 4, 1], [5, 2, -1, -1], [0, 6, 2, -1], [2, 2, 3, 4]]),
    times=np.array([[0.0, 0.1, 0.2, 0.3], [0.5, 0.8, 9, 9], [0.7, 0.9, 0.95, 9], [0.2, 0.4, 0.6, 0.65]]),
    utility=UTILITY,
)


def test_the_last_item_of_every_user_is_left_out():
    parts = leave_one_out(LOG, 0.2)
    np.testing.assert_array_equal(
        parts.train, [[3, 1, 4, -1], [0, 6, -1, -1], [2, 2, 3, -1]]
    )  # 5 alone teaches nothing
    np.testing.assert_array_equal(parts.test, [[3, 1, 4, 1], [5, 2, -1, -1], [0, 6, 2, -1], [2, 2, 3, 4]])
    np.testing.assert_array_equal(parts.place, [3, 1, 2, 3])
    np.testing.assert_array_equal(parts.target, [1, 2, 2, 4])
    np.testing.assert_array_equal(parts.utility[1], UTILITY[1, 1])


def test_a_moment_divides_the_log_for_all_users():
    """Of 13 items the last six come after the moment, between .5 and .6."""
    parts = global_time(LOG, 0.45)
    np.testing.assert_array_equal(parts.train, [[3, 1, 4, 1], [2, 2, -1, -1]])
    np.testing.assert_array_equal(parts.test, [[5, 2, -1, -1], [2, 2, 3, -1]])  # who took none before is no test
    np.testing.assert_array_equal(parts.place, [1, 2])
    np.testing.assert_array_equal(parts.utility, [UTILITY[1, 1], UTILITY[3, 2]])
    assert parts.new == 1
    assert parts.of_users(np.array([0])).new == 1
    assert leave_one_out(LOG, 0.45).new == 0


def test_sequences_are_cut_after_the_split():
    """To the latest two: what comes before the test, and not what comes last in the log."""
    short = dataclasses.replace(LOG, longest=2)
    parts = global_time(short, 0.45)
    np.testing.assert_array_equal(parts.train, [[4, 1], [2, 2]])
    np.testing.assert_array_equal(parts.test, [[5, 2], [2, 3]])
    np.testing.assert_array_equal(parts.target, [2, 3])
    np.testing.assert_array_equal(parts.utility, [UTILITY[1, 1], UTILITY[3, 2]])
    parts = leave_one_out(short, 0.2)
    np.testing.assert_array_equal(parts.train, [[1, 4], [0, 6], [2, 3]])
    np.testing.assert_array_equal(parts.test, [[4, 1], [5, 2], [6, 2], [3, 4]])


def test_test_users_are_drawn_and_not_the_first():
    count = 200
    items, utility = np.arange(2 * count).reshape(count, 2), np.arange(float(count))[:, None]
    parts = Parts(items, items, np.ones(count, int), utility)
    first, again, other = (at_most(parts, 50, jax.random.key(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.test, again.test)
    users = [set((each.test[:, 0] // 2).tolist()) for each in (first, other)]
    assert {len(each) for each in users} == {50}
    assert users[0] != users[1]
    assert all(sum(user < 100 for user in each) < 40 for each in users), "from all of the log"
    np.testing.assert_array_equal(first.utility[:, 0], first.test[:, 0] // 2)
    np.testing.assert_array_equal(first.target, first.test[:, 1])
    assert at_most(parts, count, jax.random.key(0)) is parts


def test_counts_of_items_and_of_transitions():
    sequences = np.array([[0, 1, 0, 1], [1, 2, -1, -1]])
    np.testing.assert_allclose(shares(sequences, 3), np.array([3, 4, 2]) / 9)
    chain = transitions(sequences, 3, 2.0)
    prior = 2.0 * np.array([3, 4, 2]) / 9
    np.testing.assert_allclose(chain, [(np.array(n) + prior) / (sum(n) + 2) for n in ([0, 2, 0], [1, 0, 1], [0, 0, 0])])
    np.testing.assert_allclose(chain.sum(axis=1), 1)


def test_candidates_are_the_target_and_different_others_alike():
    targets = np.arange(3000) % 9
    drawn = candidates(jax.random.key(0), targets, 9, 4)
    assert drawn.shape == (3000, 5)
    np.testing.assert_array_equal(drawn[:, 0], targets)
    assert all(len({*row}) == 5 for row in drawn.tolist())
    others = np.bincount(drawn[:, 1:].ravel(), minlength=9)
    expected = 3000 * 4 * (1 / 9)  # an item is a candidate with probability 4 / 8 where it is not the target
    assert np.all(np.abs(others - expected) < 5 * np.sqrt(expected))


def test_measures_are_those_of_scikit_learn(float64):
    random = np.random.default_rng(0)
    scores, targets = random.normal(size=(50, 20)), random.integers(0, 20, 50)
    slates = np.stack([np.append(t, random.permutation(np.delete(np.arange(20), t))[:9]) for t in targets])
    measured = measure(scores, targets, slates)
    one_hot = np.eye(20)[targets]
    expected = [ndcg_score(truth[None], score[None], k=10) for truth, score in zip(one_hot, scores, strict=True)]
    np.testing.assert_allclose(measured[ALL]["ndcg_10"], expected, atol=1e-12)
    shown = np.take_along_axis(scores, slates, axis=1)
    expected = [ndcg_score(np.eye(10)[:1], score[None], k=5) for score in shown]
    np.testing.assert_allclose(measured[SAMPLED]["ndcg_5"], expected, atol=1e-12)


@pytest.mark.parametrize("name", [*COUNTED, *TRAINED])
def test_no_score_depends_on_what_a_user_takes_later(name):
    """From the item to predict on, other items stand in their sequences. The item before it does count."""
    settings, random = compose(WORDS), np.random.default_rng(0)
    items, place = random.integers(0, 9, (6, 8)), np.array([1, 3, 3, 5, 6, 7])
    if name in COUNTED:
        learner = COUNTED[name](settings, items, 9)
    else:
        learner = TRAINED[name](settings, Logged(jnp.asarray(items), 9))(jax.random.key(0), jnp.ones(()))

    def answers(first_B):
        changed = np.where(np.arange(8) >= first_B[:, None], (items + 1) % 9, items)
        return scores(learner, Parts(items, changed, place, None), 9, 6)

    np.testing.assert_array_equal(answers(place), answers(place + 9))
    assert np.any(answers(place) != answers(place - 1)) == (name != "popularity")


def test_every_recommender_is_measured_on_the_same_users(folder):
    rows = table(folder, "learners")
    assert len(rows) == 2 * 2 * 2 * len(LEARNERS)
    assert {row["learner"] for row in rows} == LEARNERS
    for split in ("leave_one_out", "global_time"):
        users = {row["users"] for row in rows if row["split"] == split and row["learner"] != "chance"
                 and row["seed"] == "0"}  # fmt: skip
        assert len(users) == 1
    values = {(row["seed"], row["split"], row["candidates"], row["learner"]): float(row["ndcg_10"]) for row in rows}
    for row in table(folder, "differences"):
        place = (row["seed"], row["split"], row["candidates"])
        expected = values[(*place, row["learner"])] - values[(*place, row["other"])]
        assert float(row["difference"]) == pytest.approx(expected, abs=1e-6)
    numbers = json.loads((folder / "summary.json").read_text())["numbers"]
    ends = [values[seed, "global_time", "sampled", "gru"] for seed in "01"]
    assert numbers["ndcg_10.global_time.gru"] == pytest.approx(np.mean(ends), rel=1e-5)
    # six candidates: everything is among the first ten
    assert {float(row["recall_10"]) for row in rows if row["candidates"] == "sampled"} == {1.0}


OF_LOG = ["experiment=recommend_log", "data=item_csv", "data.path=log.csv", "data.user=who", "data.time=when",
          "data.item=what", "data.fewest=1", *(word for word in WORDS[4:] if not word.startswith("users"))]  # fmt: skip


def write_log(folder):
    """Users of 3 to 7 items among 12, at times in a row."""
    random = np.random.default_rng(0)
    rows = [f"{u},{40 * t + u},{random.integers(12)}" for u in range(40) for t in range(3 + u % 5)]
    (folder / "log.csv").write_text("\n".join(["who,when,what", *rows]) + "\n")


def test_a_log_of_one_s_own_from_the_command_line(tmp_path, drawn):
    write_log(tmp_path)
    ran(*OF_LOG, cwd=tmp_path)
    (directory,) = (tmp_path / "runs" / "recommend_log").glob("*/")
    check_experiment(directory, "recommend_log")
    rows = table(directory, "learners")
    assert {row["learner"] for row in rows} == LEARNERS - {"truth"}
    assert {row["users"] for row in rows if row["split"] == "leave_one_out"} == {"0", "30"}
    assert "40 users, 12 items, 200 rows" in (directory / "summary.json").read_text()


@pytest.mark.parametrize(
    ("base", "words", "message"),
    [
        (OF_LOG, ["data.fewest=1000"], "nothing can be learned from 0 items with data.fewest=1000 rows"),
        (OF_LOG, ["negatives=12"], "negatives=12: must be below the number of items, 12"),
        (OF_LOG, ["data.path=other.csv"], "data.path=other.csv: no such file"),
        (OF_LOG, ["test_share=0"], "splits=global_time: it leaves"),
        (OF_LOG[:1], ["data=click_csv"], "it is not for this kind of experiment; allowed: movielens_items, item_csv"),
        (WORDS[:1], ["task=markov"], "task=markov: it has no log of items; allowed: items"),
        (WORDS, ["negatives=12"], "negatives=12: must be < task.num_items=12"),
        (WORDS, ["splits=[]"], "splits=[]: at least one"),
        (WORDS, ["model.num_heads=3"], "model.num_heads=3: must divide model.width=8"),
    ],
)
def test_what_cannot_be_is_one_line(base, words, message, tmp_path):
    write_log(tmp_path)
    changed = {word.split("=")[0] for word in words}
    done = lab_here(*(word for word in base if word.split("=")[0] not in changed), *words, cwd=tmp_path)
    assert done.returncode
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert base[0] == OF_LOG[0] or not (tmp_path / "runs").exists()
