"""Experiments that start from trained decoders, on a tiny budget: from the command to tables, figure and verdicts."""

import numpy as np
import pytest
import yaml

from tests.command_line import check_refused, lab_here
from tests.run_files import table
from tests.tiny_runs import tiny_run

pytestmark = pytest.mark.slow  # whole experiments


@pytest.fixture(scope="module")
def icl(tmp_path_factory):
    return tiny_run(tmp_path_factory, "icl_vs_finetune")


@pytest.mark.parametrize("kind", ["icl_vs_finetune", "deep_thinking", "demonstration_choice", "softmax_dual"])
def test_decoders_are_trained_once_for_all_that_start_from_them(kind, tmp_path_factory):
    run, decoders = (tiny_run(tmp_path_factory, each) for each in (kind, "decoder"))
    assert yaml.safe_load((run.directory / "config.yaml").read_text())["made_from"] == [decoders.directory.name]
    assert len(list((run.folder / "runs" / "shifted_classes").glob("*/DONE"))) == 1


def test_trained_and_untrained_decoders_are_compared(icl):
    accuracy = table(icl.directory, "accuracy")
    models = [(seed, model) for seed in ("0", "1") for model in ("trained", "untrained")]
    places = {(row["seed"], row["model"], row["schedule"]) for row in accuracy}
    assert places == {(*model, schedule) for model in models for schedule in ("one_epoch", "full_batch")}
    rates = table(icl.directory, "rates")
    rates = [row for row in rates if (row["seed"], row["schedule"], row["model"]) == ("1", "one_epoch", "trained")]
    (chosen,) = [row for row in rates if row["chosen"] == "1"]
    assert float(chosen["accuracy"]) == max(float(row["accuracy"]) for row in rates)


def test_attention_maps_of_the_first_layer_are_alike_by_construction(icl):
    rows = table(icl.directory, "transfer")
    first = [row for row in rows if row["measure"] == "sim_am" and row["arm"] == "zero_shot" and row["layer"] == "1"]
    assert len(first) == 8
    np.testing.assert_allclose([float(row["value"]) for row in first], 1.0, atol=1e-5)


def test_a_share_has_its_denominator_and_a_share_of_nothing_is_empty(icl):
    shares = [row for row in table(icl.directory, "transfer") if row["measure"] == "rec2ftp"]
    assert all(row["count"] for row in shares)
    assert all((row["value"] == "") == (row["count"] == "0") for row in shares)


def test_sets_of_demonstrations_are_chosen(tmp_path_factory):
    directory = tiny_run(tmp_path_factory, "demonstration_choice").directory
    rows = table(directory, "choice")
    assert len(rows) == 2 * 3 * 2
    bounds = {(row["seed"], row["bound"]): float(row["accuracy"]) for row in table(directory, "bounds")}
    for row in rows:
        accuracy, gain, optimism = (float(row[name]) for name in ("accuracy", "gain", "optimism"))
        assert accuracy <= bounds[row["seed"], "best"] + 1e-9
        assert accuracy - gain == pytest.approx(bounds[row["seed"], "random"], abs=1e-9)
        assert optimism == pytest.approx(float(row["validation"]) - float(row["test"]), abs=1e-9)
        assert 1 <= float(row["tied"]) <= 4
        assert row["score"] != "effect" or float(row["lead"]) == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["experiment=demonstration_choice", "validation=[4,4]"], "validation=[4,4]: each once"),
        (
            ["experiment=demonstration_choice", "examples=17"],
            "examples=17: the decoders read up to task.num_context=16",
        ),
        (["experiment=demonstration_choice", "model.words=['task=plain']"], "is no classification"),
        (["experiment=deep_thinking", "eta=[3.0]", "beta=[0.0]"], "eta=[3.0]: must be > 0 and <= 2"),
        (["experiment=deep_thinking", "eta=[2.0]", "beta=[0.0]"], "eta=2 with beta=0 diverges"),
        (["experiment=deep_thinking", "eta=[]"], "eta=[]: at least one"),
        (["experiment=icl_vs_finetune", "learning_rates=[]"], "learning_rates=[]: at least one"),
        (["experiment=icl_vs_finetune", "model.experiment=fig1"], "model.experiment=fig1: it keeps no decoder"),
        (["experiment=icl_vs_finetune", "model.experiment=plain", "seeds=1"], "it keeps no decoder"),
        (["experiment=softmax_dual", "model.experiment=fig1"], "model.experiment=fig1: it keeps no decoder"),
        (["experiment=icl_vs_finetune", "test=['task.nosuch=1']"], "nosuch"),
        (["experiment=deep_thinking", "test=['train.steps=1']"], "allowed are words task.KEY=VALUE"),
        (["experiment=deep_thinking", "offset=true", "model.words=['model.positions=learned']"], "leave it out"),
    ],
)
def test_settings_that_cannot_be_are_one_line(words, message, tmp_path):
    check_refused(lab_here(*words, cwd=tmp_path), message)
