"""Experiments that start from trained decoders, on a tiny budget: from the command to tables, figure and verdicts."""

import numpy as np
import pytest
import yaml

from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.demonstrations.icl_vs_finetune.results import rises, sim_am
from tests.run_files import table
from tests.tiny_runs import tiny_run


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["icl_vs_finetune", "deep_thinking", "demonstration_choice", "softmax_dual"])
def test_decoders_are_trained_once_for_all_that_start_from_them(kind, tmp_path_factory):
    run, decoders = (tiny_run(tmp_path_factory, each) for each in (kind, "decoder"))
    assert yaml.safe_load((run.directory / "config.yaml").read_text())["made_from"] == [decoders.directory.name]
    assert len(list((run.folder / "runs" / "shifted_classes").glob("*/DONE"))) == 1


@pytest.mark.slow  # a whole experiment
def test_trained_and_untrained_decoders_are_compared(tiny):
    accuracy = table(tiny.directory, "accuracy")
    models = [(seed, model) for seed in ("0", "1") for model in ("trained", "untrained")]
    places = {(row["seed"], row["model"], row["schedule"]) for row in accuracy}
    assert places == {(*model, schedule) for model in models for schedule in ("one_epoch", "full_batch")}
    rates = table(tiny.directory, "rates")
    rates = [row for row in rates if (row["seed"], row["schedule"], row["model"]) == ("1", "one_epoch", "trained")]
    (chosen,) = [row for row in rates if row["chosen"] == "1"]
    assert float(chosen["accuracy"]) == max(float(row["accuracy"]) for row in rates)


@pytest.mark.slow  # a whole experiment
def test_attention_maps_of_the_first_layer_are_alike_by_construction(tiny):
    rows = table(tiny.directory, "transfer")
    first = [row for row in rows if row["measure"] == "sim_am" and row["arm"] == "zero_shot" and row["layer"] == "1"]
    assert len(first) == 8
    np.testing.assert_allclose([float(row["value"]) for row in first], 1.0, atol=1e-5)


@pytest.mark.slow  # a whole experiment
def test_a_share_has_its_denominator_and_a_share_of_nothing_is_empty(tiny):
    shares = [row for row in table(tiny.directory, "transfer") if row["measure"] == "rec2ftp"]
    assert all(row["count"] for row in shares)
    assert all((row["value"] == "") == (row["count"] == "0") for row in shares)


@pytest.mark.slow  # a whole experiment
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


@pytest.mark.parametrize(("first", "above", "met"), [(-1.0, 0.1, True), (1.0, 0.0, False)])
def test_the_first_layer_says_nothing_of_attention_maps(first, above, met):
    rows = [
        {"seed": seed, "measure": "sim_am", "arm": "rise", "layer": layer, "value": value + 0.001 * seed}
        for seed in range(3)
        for layer, value in ((1.0, first), (2.0, above), (3.0, above))
    ]
    (condition,) = rises(sim_am)(Tables(transfer=rows))
    assert condition.met is met
    assert condition.number.mean == pytest.approx(above + 0.001)


@pytest.mark.parametrize("layer", [1.0, ""])
def test_a_mean_over_all_layers_is_no_measure_of_attention_maps(layer):
    """Neither that of a decoder of one layer, nor that of tables with one row for all layers."""
    rows = [{"seed": seed, "measure": "sim_am", "arm": "rise", "layer": layer, "value": 0.5} for seed in range(3)]
    with pytest.raises(NotMeasured):
        rises(sim_am)(Tables(transfer=rows))


@pytest.mark.slow
def test_attention_maps_rise_layer_by_layer(tiny):
    """Every row is the difference of its layer's two similarities; the first layer has a row, which no claim uses."""
    rows = [row for row in table(tiny.directory, "transfer") if row["measure"] == "sim_am"]
    values = {}
    for row in rows:
        place = (row["seed"], row["model"], row["schedule"], row["layer"])
        values.setdefault(place, {})[row["arm"]] = float(row["value"])
    assert {place[-1] for place in values} == {"1", "2", "3"}
    for each in values.values():
        assert each["rise"] == pytest.approx(each["fine_tuned"] - each["zero_shot"], abs=1e-6)
