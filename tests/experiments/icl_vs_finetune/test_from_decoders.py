"""Experiments that start from trained decoders, on a tiny budget: from the command to tables, figure and verdicts."""

import numpy as np
import pytest
import yaml

from experiments.deep_thinking import figure as deep_thinking
from experiments.icl_vs_finetune import figure as icl_vs_finetune
from lab.config.compose import register
from tests.command_line import check_refused, lab_here
from tests.run_files import table
from tests.tables import Tables
from tests.tiny_runs import tiny_run

register()


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
    models = (("0", "trained"), ("1", "trained"), ("0", "untrained"))
    places = {(row["seed"], row["model"], row["schedule"]) for row in accuracy}
    assert places == {(*model, schedule) for model in models for schedule in ("one_epoch", "full_batch")}
    rates = table(icl.directory, "rates")
    rates = [row for row in rates if (row["seed"], row["schedule"], row["model"]) == ("1", "one_epoch", "trained")]
    (chosen,) = [row for row in rates if row["chosen"] == "1"]
    assert float(chosen["accuracy"]) == max(float(row["accuracy"]) for row in rates)


def test_attention_maps_of_the_first_layer_are_alike_by_construction(icl):
    rows = table(icl.directory, "transfer")
    first = [row for row in rows if row["measure"] == "sim_am" and row["arm"] == "zero_shot" and row["layer"] == "1"]
    assert len(first) == 6
    np.testing.assert_allclose([float(row["value"]) for row in first], 1.0, atol=1e-5)


def test_a_share_has_its_denominator_and_a_share_of_nothing_is_empty(icl):
    shares = [row for row in table(icl.directory, "transfer") if row["measure"] == "rec2ftp"]
    assert all(row["count"] for row in shares)
    assert all((row["value"] == "") == (row["count"] == "0") for row in shares)


def test_deep_thinking_begins_with_one_reading(tmp_path_factory):
    directory = tiny_run(tmp_path_factory, "deep_thinking").directory
    rows = table(directory, "iterations")
    assert len(rows) == 2 * 2 * 3
    assert {float(row["gain"]) for row in rows if row["iterations"] == "1"} == {0.0}
    norms = [row for row in table(directory, "norms") if row["layer"] == "2"]
    relative, expected = ([float(row[name]) for row in norms] for name in ("relative", "recurrence"))
    np.testing.assert_allclose(relative, expected, atol=1e-3)  # float32, of norms as small as the updates
    uncached, cached, thinking = table(directory, "cost")
    assert float(uncached["tokens_per_query"]) == 4 + 4 + 1
    assert float(thinking["tokens_per_prompt"]) == 3 * float(cached["tokens_per_prompt"]) == 3 * 8
    assert float(cached["key_value_bytes"]) == 2 * 2 * 8 * 8 * 4  # K and V, 2 layers, 8 tokens, width 8, 4 bytes


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


def transfer(value, measure, arm, layer=1.0, model="trained"):
    return [
        {"seed": seed, "model": model, "schedule": "one_epoch", "measure": measure, "arm": arm, "layer": layer,
         "value": value + 0.001 * seed, "stderr": 0.001}
        for seed in range(3)
    ]  # fmt: skip


@pytest.mark.parametrize(("rec", "lift", "rise", "expected"), [(0.9, 0.05, 0.1, True), (0.7, -0.05, 0.0, False)])
def test_verdicts_follow_the_numbers(rec, lift, rise, expected):
    rows = transfer(rec, "rec2ftp", "fine_tuned") + transfer(rise, "sim_am", "rise")
    rows += transfer(lift, "lift", "per_episode") + transfer(lift, "lift", "other")
    rows += transfer(lift, "sim_aou", "difference") + transfer(lift, "sim_aou", "difference", layer=2.0)
    verdicts = [claim.evaluate(Tables(transfer=rows), {})["holds"] for claim in icl_vs_finetune.CLAIMS]
    assert [verdicts[i] for i in (1, 2, 3, 6)] == [expected] * 4


@pytest.mark.parametrize(("sign", "expected"), [(1, True), (-1, False)])
def test_verdicts_on_deep_thinking_follow_the_numbers(sign, expected):
    pairs = [(0.1, 0.9), (0.01, 0.9)]
    protocols = [
        {"seed": seed, "protocol": name, "eta": eta, "beta": beta, "gain": sign * 0.01 + 0.001 * seed}
        for seed in range(3) for name in ("validated", "fresh") for eta, beta in pairs
    ]  # fmt: skip
    protocols += [{"seed": seed, "protocol": "again", "gain": 0.001 * seed} for seed in range(3)]
    norms = [
        {"seed": seed, "layer": 2.0, "eta": eta, "beta": beta, "iterations": 2.0,
         "relative": 0.5 - sign * (eta - 0.01) + 0.001 * seed * eta}
        for seed in range(3) for eta, beta in pairs
    ]  # fmt: skip
    directory = Tables(protocols=protocols, norms=norms)
    assert [claim.evaluate(directory, {})["holds"] for claim in deep_thinking.CLAIMS] == [expected] * 4
