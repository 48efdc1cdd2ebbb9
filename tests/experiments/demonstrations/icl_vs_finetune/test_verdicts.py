"""In-context learning and fine-tuning: what a claim compares, and what the tiny run measures."""

import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.demonstrations.icl_vs_finetune import figure as icl_vs_finetune
from experiments.demonstrations.icl_vs_finetune.results import rises, sim_am
from lab.runs.directory import RunDirectory
from tests.run_files import table
from tests.tiny_runs import tiny_run


@pytest.fixture(scope="module")
def icl(tmp_path_factory):
    return tiny_run(tmp_path_factory, "icl_vs_finetune")


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
def test_attention_maps_rise_layer_by_layer(icl):
    """Every row is the difference of its layer's two similarities; the first layer has a row, which no claim uses."""
    rows = [row for row in table(icl.directory, "transfer") if row["measure"] == "sim_am"]
    values = {}
    for row in rows:
        place = (row["seed"], row["model"], row["schedule"], row["layer"])
        values.setdefault(place, {})[row["arm"]] = float(row["value"])
    assert {place[-1] for place in values} == {"1", "2", "3"}
    for each in values.values():
        assert each["rise"] == pytest.approx(each["fine_tuned"] - each["zero_shot"], abs=1e-6)


@pytest.mark.slow
def test_orders_of_attention_are_drawn(icl):
    with style.paper(), style.closed():
        panel = icl_vs_finetune.draw(RunDirectory(icl.directory)).axes[-1]
        assert panel.get_title().startswith("Kendall's tau")
        lines = [line.get_ydata() for line in panel.lines if np.size(line.get_xdata()) == 3]
    rows = [
        row for row in table(icl.directory, "transfer") if (row["measure"], row["arm"]) == ("kendall", "fine_tuned")
    ]
    rows = [row for row in rows if (row["model"], row["schedule"]) == ("trained", "one_epoch")]
    means = [np.mean([float(row["value"]) for row in rows if row["layer"] == layer]) for layer in "123"]
    assert any(np.allclose(line, means, atol=1e-6) for line in lines)
