"""The kind `decoder`: a tiny run from the command to its tables, the decoder that it keeps, and its claim."""

import csv

import numpy as np
import pytest

from experiments.decoder import figure
from lab.config import points
from lab.config.compose import register
from tests.command_line import check_refused, lab_here, lab_once
from tests.run_files import check_experiment, directory_of
from tests.tables import Tables
from trainers.record import Record

register()
TINY = ["experiment=shifted_classes", "train.steps=4", "train.eval_every=2", "train.batch_size=8", "eval.episodes=50",
        "model.width=8", "model.num_heads=2", "model.mlp_width=8", "model.num_layers=1", "task.num_context=4",
        "population.seeds=2"]  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    done, folder = lab_once(tmp_path_factory, "decoder", TINY)
    assert done.returncode == 0, done.stderr
    return folder


def table(folder, name):
    with open(directory_of(folder) / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_measures_every_number_of_examples(tiny):
    summary = check_experiment(directory_of(tiny), "shifted_classes")
    assert summary["together"] == {"models": 2, "runs": 1}
    rows = table(tiny, "by_examples")
    assert [(row["examples"], row["learner"]) for row in rows[:2]] == [("0", "decoder"), ("0", "optimal")]
    assert {row["examples"] for row in rows} == {"0", "1", "2", "4"}
    decoder, optimal = rows[-2:]
    assert float(decoder["accuracy_excess"]) == pytest.approx(float(decoder["accuracy"]) - float(optimal["accuracy"]))
    curves = table(tiny, "curves")
    assert {(row["step"], row["seed"]) for row in curves} == {(step, seed) for step in "024" for seed in "01"}
    assert len({row["loss.optimal"] for row in curves if row["seed"] == "0"}) == 1
    assert float(curves[-1]["loss.decoder"]) < float(curves[1]["loss.decoder"])


def test_the_decoder_that_it_keeps_is_the_one_that_was_measured(tiny, monkeypatch):
    import jax
    import jax.numpy as jnp

    from analysis.metrics.answers import evaluate
    from tasks.prefix import Prefix
    from tasks.shifted_classes import ShiftedClasses
    from trainers.streams import Stream

    monkeypatch.chdir(tiny)
    settings = points.point(TINY).settings
    kept = Record(settings, "").trained(TINY, member=1)["decoder"]
    task = Prefix(ShiftedClasses(num_context=4), jnp.asarray(2))
    key = jax.random.fold_in(jax.random.key(1), Stream.validation)  # of the second seed
    answers = evaluate({"decoder": kept}, {"": task}, key, 50, sensitivity=False)[""]["decoder"]
    (row,) = [
        row for row in table(tiny, "seeds") if (row["seed"], row["examples"], row["learner"]) == ("1", "2", "decoder")
    ]
    assert float(row["loss"]) == pytest.approx(np.mean(answers.loss), rel=1e-4)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("model.num_heads=3", "model.num_heads=3: must divide model.width=64"),
        ("model.num_groups=3", "model.num_groups=3: must divide model.num_heads=4"),
        ("model.width=12 model.positions=rope", "model.positions=rope: model.width / model.num_heads must be even"),
        ("eval.examples=[3,17]", "task.num_context=16"),
        ("task=rag_dot", "task=rag_dot: it needs documents"),
        ("task=markov", "task=markov: its queries are its examples"),
        ("task=linear", "task=linear: its queries are its examples"),
        ("task=tabular", "a table of data"),
    ],
)
def test_settings_that_do_not_fit_are_one_line(word, message, tmp_path):
    check_refused(lab_here("experiment=shifted_classes", *word.split(), cwd=tmp_path), message)


def test_labels_with_noise_leave_the_optimal_answer_open(tmp_path):
    done = lab_here(*TINY, "task.label_noise=0.5", "model.positions=rope", "model.layout=interleaved", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {row["accuracy"] for row in table(tmp_path, "by_examples") if row["learner"] == "optimal"} == {""}
    assert "not judged" in done.stdout.lower()


def seeds(*excesses):
    return [
        {"seed": seed, "examples": 4.0, "learner": "decoder", "accuracy_excess": excess,
         "accuracy_excess.stderr": 0.001}
        for seed, excess in enumerate(excesses)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("excesses", "holds"),
    [
        ((-0.005,), True),
        ((-0.02,), False),
        ((-0.0095,), None),
        ((-0.004, -0.005, -0.006), True),
        ((-0.004, -0.012), None),
    ],
)
def test_the_claim_is_judged_over_seeds_or_over_episodes_of_one(excesses, holds):
    (claim,) = figure.CLAIMS
    assert claim.evaluate(Tables(seeds=seeds(*excesses)), {})["holds"] is holds
