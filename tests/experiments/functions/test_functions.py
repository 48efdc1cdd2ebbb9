"""The kind `functions`: tiny runs from the command to tables and kept decoders; claims on made-up tables."""

import jax
import numpy as np
import pytest

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from experiments.functions import trees
from experiments.functions.figures import (
    curriculum,
    curriculum_plateau,
    functions_linear,
    functions_network,
    functions_sparse,
    functions_tree,
)
from experiments.functions.measure import best_answers, by_examples
from experiments.functions.settings import Functions
from lab.config import points
from lab.config.choices import Baseline
from lab.config.compose import register
from lab.layouts.merged import TokenLayout
from lab.learners.lasso import Lasso
from tasks.catalogue import FUNCTIONS, TASKS
from tasks.functions.function import FunctionClass
from tests.command_line import check_refused, lab_here, lab_once
from tests.compiled import called, sampled
from tests.run_files import check_experiment, directory_of, table
from tests.tables import Tables
from tests.tiny_runs import tiny_run, words_of
from trainers.decoders.prefixes import answers, episodes_of, errors
from trainers.record import Record

register()
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
    done = lab_here(*TREE, "baselines.names=[nearest]", cwd=tree)
    assert done.returncode == 0, done.stderr
    assert "trained already" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["task=markov"], "task=markov: it is no class of functions; allowed: linear, "),
        (["task=sparse_linear", "task.nonzero=6"], "task.nonzero=6: at most task.input_dim=5"),
        (["task=decision_tree", "task.depth=0"], "task.depth=0"),
        (["task=sine", "task.input_dim=2"], "task.input_dim=2"),
        (["model.positions=rope", "model.width=12"], "must be even"),
        (["baselines.names=[ridge,ridge]"], "baselines.names=[ridge,ridge]: each once"),
        (["task=logistic", "baselines.names=[ridge]"], "ridge cannot be fitted with task=logistic; allowed: posterior"),
        (["baselines.names=[posterior]"], "posterior cannot be fitted with task=linear; allowed: least_squares, "),
    ],
)
def test_settings_that_do_not_fit_are_one_line(words, message, tmp_path):
    check_refused(lab_here("kind=functions", "name=mine", *words, cwd=tmp_path), message)


class Directory:
    """A directory that has one table of errors: {learner: error after each number of examples}, d = 2, and a little of
    each seed's own."""

    def __init__(self, name="seeds", seeds=3, **learners):
        self.name = name
        self.rows = [
            {"task.noise": noise, "seed": float(seed), "examples": float(count), "learner": learner,
             "error": error * (1 + 0.001 * seed)}
            for noise in (0.0, 1.0)
            for seed in range(seeds)
            for learner, errors in learners.items()
            for count, error in enumerate(errors)
        ]  # fmt: skip

    def read_config(self):
        return {"task": {"input_dim": 2}}

    def has_table(self, name):
        return name == self.name

    def read_table(self, name):
        return self.rows


class OneRun(Directory):
    """Without a sweep over noise."""

    def __init__(self, **learners):
        super().__init__(**learners)
        self.rows = [row for row in self.rows if row["task.noise"] == 0]


BEST = [1.0, 0.5, 0.1, 0.05, 0.01, 0.01, 0.01]


def verdicts(figure, directory):
    """By the criteria alone; that one budget of training refutes nothing has a test of its own."""
    return [claim.evaluate(directory, {})["holds"] for claim in figure.CRITERIA]


@pytest.mark.parametrize(
    ("factor", "expected"), [(1.05, [True, True, True]), (1.2, [True, False, True]), (8.0, [False, False, False])]
)
def test_linear_claims(factor, expected):
    errors = [factor * error for error in BEST]
    simple = [4 * error for error in BEST]
    directory = Directory(decoder=errors, optimal=BEST, averaging=simple, nearest=simple)
    assert verdicts(functions_linear, directory) == expected


NEARLY_EXACT = [0.01] * 7
OTHERS = ("optimal", "least_squares", "nearest", "lasso", "prompt_network", "greedy_tree", "tree_boosting", "sign_tree",
          "sign_boosting")  # fmt: skip
BESIDE_OTHERS = OneRun(decoder=[0.5] * 7, **dict.fromkeys(OTHERS, NEARLY_EXACT))
WITH_NOISE = Directory(decoder=[0.5] * 7, optimal=NEARLY_EXACT, averaging=NEARLY_EXACT, nearest=NEARLY_EXACT)


@pytest.mark.parametrize("figure", [functions_linear, functions_sparse, functions_network, functions_tree])
def test_one_budget_of_training_refutes_nothing(figure):
    """Other learners with an error of next to nothing, beside a decoder that has learned half of what there is."""
    directory = WITH_NOISE if figure is functions_linear else BESIDE_OTHERS
    for claim, criterion in zip(figure.CLAIMS, figure.CRITERIA, strict=True):
        assert criterion.evaluate(directory, {})["outcome"] == Outcome.DOES_NOT_HOLD
        verdict = claim.evaluate(directory, {})
        assert verdict["outcome"] == Outcome.NOT_REACHED
        assert "more training would not help: not measured (there is one number of steps" in verdict["why"]


def test_one_seed_gives_no_verdict():
    directory = Directory(seeds=1, decoder=BEST, optimal=BEST, averaging=BEST, nearest=BEST)
    assert verdicts(functions_linear, directory) == [None, None, None]


def test_contexts_that_are_too_short_give_none_either():
    directory = Directory(decoder=BEST[:5], optimal=BEST[:5], averaging=BEST[:5], nearest=BEST[:5])
    assert verdicts(functions_linear, directory)[1] is None


@pytest.mark.parametrize(
    ("shift", "floor", "expected"),
    [
        (0.0, 0.0, [True, True, True]),
        (0.0, -0.3, [True, True, False]),
        (0.3, 0.3, [True, False, True]),
        (0.6, 0.0, [False, False, False]),
    ],
)
def test_sparse_claims(shift, floor, expected):
    lasso = [1.0, 0.4, 0.1, 0.05, 0.01]
    squares = [1.0, 0.9, 0.1, 0.0, 0.0]
    best = [error + floor for error in lasso]
    directory = OneRun(decoder=[error + shift for error in lasso], lasso=lasso, least_squares=squares, optimal=best)
    assert verdicts(functions_sparse, directory) == expected


@pytest.mark.parametrize(("shift", "expected"), [(0.0, [True, True]), (0.1, [False, True]), (0.6, [False, False])])
def test_network_claims(shift, expected):
    network = [1.0, 0.8, 0.5, 0.4, 0.3]
    others = [1.0, 0.9, 0.8, 0.8, 0.8]
    directory = OneRun(
        decoder=[error + shift for error in network], prompt_network=network, least_squares=others, nearest=others
    )
    assert verdicts(functions_network, directory) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [(0.19, [True, True, True]), (0.25, [True, True, False]), (0.5, [True, False, False]), (0.8, [False] * 3)],
)
def test_tree_claims(error, expected):
    raw = {"greedy_tree": [0.9] * 5, "tree_boosting": [0.7] * 5}
    on_signs = {"sign_tree": [0.4] * 5, "sign_boosting": [0.3] * 5}
    directory = OneRun(decoder=[error] * 5, optimal=[0.18] * 5, **raw, **on_signs)
    assert verdicts(functions_tree, directory) == expected


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
        model = trees.MAKERS[name]().fit(x, y)
        np.testing.assert_array_equal(model.predict(query), model.predict(scales * query))
        np.testing.assert_array_equal(
            model.predict(query), trees.MAKERS[raw]().fit(np.sign(x), y).predict(np.sign(query))
        )


def learning(gained, later):
    """Two points: the other predictors gain up to .8 over the answer 0, the decoder this share of it, and in the second
    half of its training this share of what the whole training gains."""
    other = [1.0, 0.8, 0.5, 0.4, 0.2]
    directory = Directory(decoder=[1.0] * 4 + [1 - 0.8 * gained], nearest=[1.0] * 5, ridge=other)
    curves = [
        {"task.noise": noise, "step": step, "seed": seed, "loss.decoder": loss + 0.001 * seed}
        for noise in (0.0, 1.0)
        for step, loss in ((0.0, 2.0), (50.0, 1.0 + later), (100.0, 1.0))
        for seed in (0.0, 1.0, 2.0)
    ]
    return Learning(seeds=directory.rows, curves=curves)


class Learning(Tables):
    def read_config(self):
        return {"task": {"input_dim": 2}}


@pytest.mark.parametrize(
    ("gained", "later", "outcome"),
    [
        (0.9, 0.01, Outcome.HOLDS),
        (0.0, 0.0, Outcome.NOT_REACHED),  # an untrained decoder
        (0.4, 0.01, Outcome.NOT_REACHED),
        (0.9, 0.2, Outcome.NOT_REACHED),  # training was under way
    ],
)
def test_no_verdict_on_a_decoder_that_has_not_learned(gained, later, outcome):
    claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))])
    for figure in (
        functions_linear,
        functions_sparse,
        functions_network,
        functions_tree,
        curriculum,
        curriculum_plateau,
    ):
        assert claim.evaluate(learning(gained, later), {}, figure.CONTROLS)["outcome"] == outcome


@pytest.mark.slow
@pytest.mark.parametrize("name", ["halfspaces", "logistic"])
def test_labels_beside_the_bayes_optimal_answer(name, tmp_path, drawn):
    words = ["kind=functions", "name=mine", *SMALL, f"task={name}", "baselines.names=[posterior]",
             "baselines.samples=200", "baselines.episodes=100", "eval.episodes=200"]  # fmt: skip
    done = lab_here(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    errors = {
        (row["learner"], int(row["examples"])): float(row["error"])
        for row in table(directory_of(tmp_path), "by_examples")
    }
    assert errors["posterior", 0] == pytest.approx(1, abs=0.1)
    assert errors["posterior", 6] < min(errors["posterior", 0], errors["decoder", 6]) - 0.05
