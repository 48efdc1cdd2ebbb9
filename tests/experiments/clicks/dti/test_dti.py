"""`dti` on a tiny budget: from the command to tables, figure and kept decoder."""

import itertools

import jax
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from experiments.clicks.dti import evaluation
from experiments.clicks.dti import run as experiment
from experiments.clicks.dti.settings import Dti
from lab.config.compose import compose_run
from lab.runs.directory import RunDirectory
from tests.run_files import summary_of, table
from tests.tiny_runs import words_of
from trainers import learner_store

pytestmark = pytest.mark.slow  # whole experiments

WORDS = words_of("dti")


def test_a_run_leaves_its_tables(folder):
    summary = summary_of(folder)
    assert summary["together"] == {"models": 2, "runs": 1}
    rows = table(folder, "clicks")
    answers = {"sliding", "streaming", "bayes_item", "bayes_window", "bayes_all"}
    assert {(row["seed"], row["answers"]) for row in rows} == set(itertools.product("01", answers))
    sliding, streaming = ([row for row in rows if row["answers"] == name] for name in ("sliding", "streaming"))
    for one, many in zip(sliding, streaming, strict=True):
        assert float(many["gap.auc"]) == pytest.approx(float(many["auc"]) - float(one["auc"]))
    curves = table(folder, "curves")
    assert len(curves) == 2 * 3
    assert float(curves[0]["loss.sliding"]) > 0
    (spent,) = table(folder, "spent")
    assert (spent["models"], spent["steps"]) == ("2", "4")
    assert float(spent["milliseconds"]) > 0


def test_the_kept_decoder_gives_the_same_numbers(folder):
    """Those of clicks.csv on all test users, and those at the end of the curves on the first block of them; the
    Bayes-optimal answer is the same along the training."""
    settings = compose_run([word for word in WORDS if word != "run.dir"])
    assert isinstance(settings, Dti)
    like = experiment.learners(settings)[evaluation.DECODER]
    members = experiment.session_of([settings]).members
    for seed in (0, 1):
        curves = [row for row in table(folder, "curves") if row["seed"] == str(seed)]
        assert len({row["auc.bayes_window"] for row in curves}) == 1
        decoder = learner_store.read(RunDirectory(folder), evaluation.DECODER, like, seed)
        forms = evaluation.test_forms(decoder, settings)
        assert {name: form.shape.num_targets for name, form in forms.items()} == {"sliding": 1, "streaming": 2}
        member = jax.tree.map(lambda leaf, i=seed: leaf[i], members)
        keys = [jax.random.fold_in(jax.random.fold_in(member.validation, number), 0) for number in range(3)]
        blocks = [member.task.sample(key, 6) for key in keys]
        labels = np.concatenate([block.target for block in blocks])
        for name, learner in (forms | evaluation.optimal(member.task)).items():
            answer = jax.jit(jax.vmap(learner))
            answers = np.concatenate([answer(block.prompt) for block in blocks])
            logits = answers[..., 1] - answers[..., 0]
            (row,) = [row for row in table(folder, "clicks") if (row["answers"], row["seed"]) == (name, str(seed))]
            loss = np.mean(np.logaddexp(0, np.where(labels > 0, -logits, logits))[:14])
            assert float(row["log_loss"]) == pytest.approx(loss, abs=1e-5)
            if f"auc.{name}" in curves[-1]:
                expected = roc_auc_score(labels[:6].ravel(), logits[:6].ravel())
                assert float(curves[-1][f"auc.{name}"]) == pytest.approx(expected, abs=1e-6)


def test_runs_that_differ_in_traced_numbers_train_together():
    words = (["task.change=0.2"], ["model.ymax=0.3"], ["train.learning_rate=0.001"])
    keys = {compose_run(["experiment=click_stream", *each]).together() for each in words}
    assert len(keys) == 1
    assert Dti is type(compose_run(["experiment=click_stream"]))


def test_seeds_train_one_by_one_in_one_program_as_side_by_side():
    """1e-5: other sums in float32, over three steps. Numbers are traced: a rate of another run compiles nothing."""
    rates = (0.004, 0.001)
    composed = [compose_run([*words_of("dti"), f"train.learning_rate={rate}"]) for rate in rates]
    settings = [each for each in composed if isinstance(each, Dti)]
    losses = []
    for one_by_one in (True, False):
        session = experiment.session_of(settings)
        session._one_by_one = one_by_one
        session.start()
        steps = [session.advance(count, 2)[evaluation.DECODER] for count in (2, 1)]
        losses.append(np.concatenate(steps, axis=1))
        assert [name for name, *_ in session.programs.compiled].count(("train", 2)) == 1
    assert losses[0].shape == (4, 3)
    np.testing.assert_allclose(*losses, rtol=1e-5)
