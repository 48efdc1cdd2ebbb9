"""Experiments that start from trained decoders, on a tiny budget: from the command to tables, figure and verdicts."""

import csv

import numpy as np
import pytest

from experiments.deep_thinking import figure as deep_thinking
from experiments.icl_vs_finetune import figure as icl_vs_finetune
from lab.config.compose import register
from tests.command_line import check_refused, lab_here, lab_once
from tests.run_files import check_experiment
from tests.tables import Tables

register()
DECODERS = (
    "model.words=['train.steps=2','train.eval_every=2','train.batch_size=8','eval.episodes=10','eval.examples=[2]',"
    "'model.width=8','model.num_layers=2','model.num_heads=2','model.mlp_width=8','task.num_context=4']"
)
ICL = ["experiment=icl_vs_finetune", DECODERS, "model.seeds=2", "episodes=6", "validation=4", "queries=4", "chunk=6",
       "rates=[0.1,1.0]", "steps=2"]  # fmt: skip
DEEP = ["experiment=deep_thinking", DECODERS, "model.seeds=2", "tasks=6", "validation=6", "queries=4", "chunk=6",
        "iterations=3", "eta=[0.1,0.01]", "beta=[0.9]"]  # fmt: skip
CHOICE = ["experiment=demonstration_choice", DECODERS, "model.seeds=2", "episodes=6", "sets=4", "examples=2",
          "validation=[16,32]", "queries=64", "chunk=4"]  # fmt: skip


@pytest.fixture(scope="module")
def icl(tmp_path_factory):
    done, folder = lab_once(tmp_path_factory, "from_decoders", ICL)
    assert done.returncode == 0, done.stderr
    return folder


def table(folder, experiment, name):
    (directory,) = (folder / "runs" / experiment).glob("*/")
    with open(directory / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_decoders_are_trained_first_and_compared(icl, drawn):
    (directory,) = (icl / "runs" / "icl_vs_finetune").glob("*/")
    check_experiment(directory, "icl_vs_finetune")
    assert len(list((icl / "runs" / "shifted_classes").glob("*/DONE"))) == 1
    accuracy = table(icl, "icl_vs_finetune", "accuracy")
    models = (("0", "trained"), ("1", "trained"), ("0", "untrained"))
    places = {(row["seed"], row["model"], row["schedule"]) for row in accuracy}
    assert places == {(*model, schedule) for model in models for schedule in ("one_epoch", "full_batch")}
    rates = table(icl, "icl_vs_finetune", "rates")
    rates = [row for row in rates if (row["seed"], row["schedule"], row["model"]) == ("1", "one_epoch", "trained")]
    (chosen,) = [row for row in rates if row["chosen"] == "1"]
    assert float(chosen["accuracy"]) == max(float(row["accuracy"]) for row in rates)


def test_attention_maps_of_the_first_layer_are_alike_by_construction(icl):
    rows = table(icl, "icl_vs_finetune", "transfer")
    first = [row for row in rows if row["measure"] == "sim_am" and row["arm"] == "zero_shot" and row["layer"] == "1"]
    assert len(first) == 6
    np.testing.assert_allclose([float(row["value"]) for row in first], 1.0, atol=1e-5)


def test_a_share_has_its_denominator_and_a_share_of_nothing_is_empty(icl):
    shares = [row for row in table(icl, "icl_vs_finetune", "transfer") if row["measure"] == "rec2ftp"]
    assert all(row["count"] for row in shares)
    assert all((row["value"] == "") == (row["count"] == "0") for row in shares)


def test_deep_thinking_uses_the_decoders_that_are_there(icl, drawn):
    done = lab_here(*DEEP, cwd=icl)
    assert done.returncode == 0, done.stderr
    (directory,) = (icl / "runs" / "deep_thinking").glob("*/")
    check_experiment(directory, "deep_thinking")
    assert len(list((icl / "runs" / "shifted_classes").glob("*/DONE"))) == 1
    rows = table(icl, "deep_thinking", "iterations")
    assert len(rows) == 2 * 2 * 3
    assert {float(row["gain"]) for row in rows if row["iterations"] == "1"} == {0.0}
    norms = [row for row in table(icl, "deep_thinking", "norms") if row["layer"] == "2"]
    relative, expected = ([float(row[name]) for row in norms] for name in ("relative", "recurrence"))
    np.testing.assert_allclose(relative, expected, atol=1e-3)  # float32, of norms as small as the updates
    uncached, cached, thinking = table(icl, "deep_thinking", "cost")
    assert float(uncached["tokens_per_query"]) == 4 + 4 + 1
    assert float(thinking["tokens_per_prompt"]) == 3 * float(cached["tokens_per_prompt"]) == 3 * 8
    assert float(cached["key_value_bytes"]) == 2 * 2 * 8 * 8 * 4  # K and V, 2 layers, 8 tokens, width 8, 4 bytes


def test_sets_of_demonstrations_are_chosen_with_the_same_decoders(icl, drawn):
    done = lab_here(*CHOICE, cwd=icl)
    assert done.returncode == 0, done.stderr
    (directory,) = (icl / "runs" / "demonstration_choice").glob("*/")
    check_experiment(directory, "demonstration_choice")
    assert len(list((icl / "runs" / "shifted_classes").glob("*/DONE"))) == 1
    rows = table(icl, "demonstration_choice", "choice")
    assert len(rows) == 2 * 3 * 2
    bounds = {
        (row["seed"], row["bound"]): float(row["accuracy"]) for row in table(icl, "demonstration_choice", "bounds")
    }
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
        (["experiment=icl_vs_finetune", "rates=[]"], "rates=[]: at least one"),
        (["experiment=icl_vs_finetune", "model.experiment=fig1"], "model.experiment=fig1: it keeps no decoder"),
        (["experiment=icl_vs_finetune", "model.experiment=plain", "model.seeds=1"], "it keeps no decoder"),
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
