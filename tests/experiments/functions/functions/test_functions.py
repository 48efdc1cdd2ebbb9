"""The kind `functions`: tiny runs from the command to tables and kept decoders, and what its baselines may see."""

import jax
import numpy as np
import pytest

from experiments.functions.functions import baselines
from experiments.functions.functions.measure import best_answers, by_examples
from experiments.functions.functions.settings import Functions
from lab.config import points
from lab.config.choices import Baseline
from lab.layouts.merged import TokenLayout
from lab.learners.lasso import Lasso
from tasks.catalogue import FUNCTIONS, TASKS
from tasks.functions.function import FunctionClass
from tests.command_line import lab_once, ran
from tests.compiled import called, sampled
from tests.run_files import check_experiment, directory_of, table
from tests.tiny_runs import tiny_run, words_of
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.record import Record

SMALL = words_of("functions")[1:]  # without its experiment
EVERY = "least_squares,ridge,averaging,nearest,lasso,prompt_network,greedy_tree,tree_boosting,sign_tree,sign_boosting"
TREE = ["experiment=functions_tree", *SMALL, "task.depth=2", f"baselines.names=[{EVERY}]",
        "baselines.every=3", "model.layout=interleaved"]  # fmt: skip


@pytest.fixture(scope="module")
def linear(tmp_path_factory):
    return tiny_run(tmp_path_factory, "functions")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    done, folder = lab_once(tmp_path_factory, "functions_tree", TREE)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_a_sweep_over_noise_is_one_program_and_measures_every_prefix(linear):
    assert {point["together"]["runs"] for point in linear.summary["points"].values()} == {2}
    rows = table(linear.directory, "seeds")
    assert {row["examples"] for row in rows} == {str(count) for count in range(7)}
    assert {row["learner"] for row in rows} == {"decoder", "optimal", "least_squares", "averaging", "nearest"}
    assert {row["distance"] for row in rows if row["learner"] == "optimal"} == {"0.0"}
    exact = [row for row in rows if row["task.noise"] == "0" and row["learner"] == "optimal"]
    assert max(float(row["error"]) for row in exact if int(row["examples"]) >= 3) < 1e-4
    assert {row["error.stderr"] for row in rows} != {"0.0"}


@pytest.mark.slow
def test_every_baseline_and_one_pass(tree):
    """Of the slow ones a few episodes, and of those on the host some numbers of examples."""
    # Trees on the signs of so few inputs have no error, so what is compared with theirs has no number.
    check_experiment(directory_of(tree), "functions_tree", measured=None)
    counts = {}
    for row in table(directory_of(tree), "by_examples"):
        counts.setdefault(row["learner"], []).append(int(row["examples"]))
    on_host = {"greedy_tree", "tree_boosting", "sign_tree", "sign_boosting"}
    assert {tuple(counts.pop(name)) for name in on_host} == {(0, 3, 6)}
    assert set(map(tuple, counts.values())) == {tuple(range(7))}
    assert {*counts} == {*EVERY.split(",")} - on_host | {"decoder", "optimal"}


@pytest.mark.slow
def test_the_decoder_that_it_keeps_is_the_one_that_was_measured(tree, monkeypatch):
    """Here the wrapper that reads examples once; the decoder inside has the same answers."""
    import jax

    from lab.learners.learner import predict
    from tasks.catalogue import TASKS
    from trainers.streams import Stream

    monkeypatch.chdir(tree)
    settings = points.point(TREE).settings
    kept = Record(settings, "").trained(TREE, member=1)["decoder"]
    (task,) = TASKS["decision_tree"].together([settings.task])
    episodes = sampled(task, jax.random.fold_in(jax.random.key(1), Stream.validation), 30)
    (row,) = [
        row
        for row in table(directory_of(tree), "seeds")
        if (row["seed"], row["examples"], row["learner"]) == ("1", "5", "decoder")
    ]
    for learner in (kept, kept.inner):
        errors = np.asarray((called(predict, learner, episodes.prompt) - episodes.target) ** 2)[:, 5]
        assert float(row["error"]) == pytest.approx(errors.mean(), rel=1e-3)


@pytest.mark.slow
def test_another_baseline_trains_nothing_again(tree):
    done = ran(*TREE, "baselines.names=[nearest]", cwd=tree)
    assert "trained already" in done.stdout


def test_the_best_candidate_is_chosen_on_other_episodes():
    """After few examples a large penalty is best, and after many a small one; the choice does not see the test."""
    task = FUNCTIONS["sparse_linear"](num_context=12, input_dim=4, nonzero=1)
    layout, key, other = TokenLayout.of(task), jax.random.key(0), jax.random.key(1)
    candidates = [Lasso(layout, penalty) for penalty in (1.0, 0.01)]
    test, choice = (episodes_of(task, each, 50) for each in (key, other))
    on_test, on_choice = (
        np.stack([np.asarray(errors(task, answers(each, episodes), episodes.target)) for each in candidates])
        for episodes in (test, choice)
    )
    which = on_choice.mean(axis=1).argmin(axis=0)
    expected = np.stack([on_test[each, :, count] for count, each in enumerate(which)], axis=1)
    best = best_answers(task, candidates, test, other)
    np.testing.assert_allclose(errors(task, best, test.target), expected, rtol=1e-6)
    assert set(which.tolist()) == {0, 1}
    np.testing.assert_array_equal(best_answers(task, candidates[:1], test, other), answers(candidates[0], test))


def test_the_distance_from_the_exact_answer_is_the_error_above_its_own():
    """On average: the exact answer is the mean of f given the examples, so what it leaves is uncorrelated with any
    function of these. Averaging is far from it, and least squares is the exact answer without noise."""
    settings = points.point(["kind=functions", "name=mine", "task.input_dim=3", "task.num_context=6",
                             "eval.episodes=4000", "baselines.names=[averaging,least_squares]"]).settings  # fmt: skip
    assert isinstance(settings, Functions)
    (task,) = TASKS["linear"].together([settings.task])
    assert isinstance(task, FunctionClass)
    result = by_examples(settings, task, {}, jax.random.key(0))
    error, distance = result["error"], result["distance"]
    for count in range(1, 6):
        above = error["averaging"][count]["mean"] - error["optimal"][count]["mean"]
        spread = np.hypot(error["averaging"][count]["stderr"], error["optimal"][count]["stderr"])
        assert abs(distance["averaging"][count]["mean"] - above) < 4 * spread  # 4 of the larger, unpaired errors
        assert distance["averaging"][count]["mean"] > 4 * distance["averaging"][count]["stderr"]
    assert max(each["mean"] for each in distance["optimal"].values()) == 0
    assert distance["least_squares"][1]["mean"] < 1e-4


def test_trees_on_signs_see_nothing_but_signs():
    rng = np.random.default_rng(0)
    x, y, query = rng.normal(size=(30, 4)), rng.normal(size=30), rng.normal(size=(50, 4))
    scales = np.exp(rng.normal(size=(50, 4)))
    for name, raw in ((Baseline.sign_tree, Baseline.greedy_tree), (Baseline.sign_boosting, Baseline.tree_boosting)):
        model = baselines.MAKERS[name]().fit(x, y)
        np.testing.assert_array_equal(model.predict(query), model.predict(scales * query))
        np.testing.assert_array_equal(
            model.predict(query), baselines.MAKERS[raw]().fit(np.sign(x), y).predict(np.sign(query))
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["halfspaces", "logistic"])
def test_labels_beside_the_bayes_optimal_answer(name, tmp_path, drawn):
    words = ["kind=functions", "name=mine", *SMALL, f"task={name}", "baselines.names=[posterior]",
             "baselines.samples=200", "baselines.episodes=100", "eval.episodes=200"]  # fmt: skip
    ran(*words, cwd=tmp_path)
    errors = {
        (row["learner"], int(row["examples"])): float(row["error"])
        for row in table(directory_of(tmp_path), "by_examples")
    }
    assert errors["posterior", 0] == pytest.approx(1, abs=0.1)
    assert errors["posterior", 6] < min(errors["posterior", 0], errors["decoder", 6]) - 0.05
