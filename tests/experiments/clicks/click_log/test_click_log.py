"""`click_log` on small logs: from the command to tables and figure, and what the user may get wrong."""

import json
import math

import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

from experiments.clicks.click_log import run as experiment
from experiments.clicks.click_log import session
from experiments.clicks.click_log.evaluation import targets_of
from lab.layouts.stream import Stream
from lab.runs.directory import RunDirectory
from tests.command_line import lab_here, ran
from tests.run_files import directory_of, summary_of, table
from tests.tasks.logs.streams import write_csv
from tests.tasks.logs.test_csv_log import GOOD
from tests.tasks.logs.test_movielens import ratings, write_folder
from tests.tiny_runs import tiny_run, words_of
from tests.trainers.sessions import settings_of
from trainers import learner_store

pytestmark = pytest.mark.slow  # whole experiments

WORDS = words_of("click_log")
CSV = [word for word in WORDS if word.startswith("data")]
SMALL = [word for word in WORDS if word.startswith(("model.", "train.", "eval."))]


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """A folder with log.csv."""
    folder = tmp_path_factory.mktemp("logs")
    write_csv(folder / "log.csv", 600, 12)
    return folder


def run_here(folder, *words):
    ran("experiment=click_log", *words, cwd=folder)
    return directory_of(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nobody disturbed."""
    return tiny_run(tmp_path_factory, "click_log").directory


def test_a_log_from_the_command_to_the_report(whole):
    summary = summary_of(whole)
    curves = table(whole, "curves")
    assert {(row["step"], row["seed"]) for row in curves} == {(step, seed) for step in "0246" for seed in "01"}
    assert all(float(row["loss.sliding"]) > 0 and float(row["loss.streaming"]) > 0 for row in curves)
    answers = table(whole, "clicks")
    assert {row["answers"] for row in answers} == {"sliding", "streaming", "rate", "logistic", "boosted"}
    numbers = summary["numbers"]
    sliding = [float(row["auc"]) for row in answers if row["answers"] == "sliding"]
    assert numbers["sliding.auc"] == pytest.approx(np.mean(sliding))
    assert numbers["gap.auc"] == pytest.approx(numbers["streaming.auc"] - numbers["sliding.auc"])
    assert numbers["rate.auc"] == 0.5
    assert summary["targets"]["test"] > 50
    assert "600 interactions" in " ".join(summary["notes"])


def test_the_tables_are_those_of_prompts_made_by_hand(whole, logs, monkeypatch):
    """Each test target alone, behind its own past and without any padding; measured by scikit-learn."""
    monkeypatch.chdir(logs)
    settings = settings_of(*WORDS)
    settings.run.dir = str(whole.parent.parent)
    (log,) = (experiment._log_of(settings),)
    decoder = learner_store.read(
        RunDirectory.of(settings), "decoder", experiment.learners(settings)["decoder"], 1
    ).packed(1)
    labels, logits = [], []
    for bounds in log.bounds:
        for row in range(bounds[2], bounds[3]):
            rows = slice(max(bounds[0], row - 3), row + 1)
            short = decoder._with(num_context=rows.stop - rows.start - 1)  # rope: no position is learned
            answer = short.logits(Stream(jnp.array(log.features[rows]), jnp.array(log.label[rows], int), 1))
            logits.append(float(answer[0, 1] - answer[0, 0]))
            labels.append(int(log.label[row]))
    labels, logits = np.array(labels), np.array(logits)
    (row,) = [row for row in table(whole, "clicks") if (row["answers"], row["seed"]) == ("sliding", "1")]
    probability = 1 / (1 + np.exp(-logits))
    assert float(row["auc"]) == pytest.approx(roc_auc_score(labels, logits), abs=1e-3)  # ties in float32
    assert float(row["log_loss"]) == pytest.approx(log_loss(labels, probability), rel=1e-5)
    assert float(row["f1"]) == pytest.approx(f1_score(labels, logits >= 0), abs=1e-9)


def test_epochs_become_steps(logs, tmp_path):
    words = [*CSV, *SMALL, "data.path=" + str(logs / "log.csv"), "train.epochs=0.25", "data.cache=" + str(tmp_path)]
    settings = settings_of("experiment=click_log", *words)
    log = experiment._log_of(settings)
    prompts = sum(math.ceil((end - start) / 4) for start, end, _, _ in log.bounds)
    assert settings.train.steps == max(1, round(0.25 * prompts / 5))
    begun = session.LogSession(settings, log)
    assert len(begun.prompts) == prompts
    told = experiment.notes(settings, log, begun)[-1]
    assert f"are {settings.train.steps * 5 / prompts:.3g} epochs" in told
    assert len(targets_of(log, "train")) == log.size["train"]


def test_movielens_in_small(tmp_path, monkeypatch):
    write_folder(tmp_path / "films", ratings(count=200))
    directory = run_here(tmp_path, "data.path=films", "data.cache=cache", *SMALL)
    answers = {row["answers"] for row in table(directory, "clicks")}
    assert answers == {"sliding", "streaming", "rate", "item", "logistic", "boosted"}


@pytest.mark.parametrize("case", ["one user", "one class in the test"])
def test_unusual_logs_work(case, tmp_path):
    """Also with k longer than all, of one user."""
    (tmp_path / "log.csv").write_text(
        {
            "one user": "\n".join(line if not i else "u" + line[2:] for i, line in enumerate(GOOD.splitlines())),
            "one class in the test": GOOD.replace("u0,18,0", "u0,18,1"),
        }[case]
    )
    directory = run_here(tmp_path, *CSV, *SMALL, *(["model.targets=50"] if case == "one user" else []))
    numbers = summary_of(directory)["numbers"]
    assert (numbers["sliding.auc"] is None) == (case == "one class in the test")
    assert numbers["sliding.log_loss"] > 0
    users = {row["sliding.log_loss.stderr"] is None for row in [numbers]}
    assert users == {case == "one user"}
    assert json.loads((directory / "summary.json").read_text())["targets"]["test"] == 2


def test_sliding_windows_have_one_evaluation(logs, tmp_path):
    words = [word.replace("log.csv", str(logs / "log.csv")) for word in CSV]
    directory = run_here(tmp_path, *words, *SMALL, "model.targets=1", "train.steps=2")
    assert {row["answers"] for row in table(directory, "clicks")} == {"sliding", "rate", "logistic", "boosted"}


WRONG = {
    "no file": ([], "data=movielens needs data.path=FILE"),
    "no columns named": (["data=click_csv"], "data=click_csv needs data.path=FILE"),
    "a missing file": ([*CSV, "data.path=other.csv"], "data.path=other.csv: no such file"),
    "one class": ([*CSV, "data.label_at_least=0"], "every label of the training interactions is 1"),
    "too much": (
        [*CSV, "model.targets=3000000", "model.block=0"],
        "model.targets=3000000: not enough memory; lower it",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_one_line(case, logs, tmp_path):
    words, expected = WRONG[case]
    (tmp_path / "log.csv").write_bytes((logs / "log.csv").read_bytes())
    done = lab_here("experiment=click_log", *SMALL, *words, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert case == "too much" or not (tmp_path / "runs").exists()
