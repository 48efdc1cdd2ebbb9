"""Verdicts on in-context learning and fine-tuning, of tables whose verdicts are known and of the tiny run's."""

import numpy as np
import pytest

from analysis.figures import style
from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.demonstrations.icl_vs_finetune import figure as icl_vs_finetune
from lab.runs.directory import RunDirectory
from tests.run_files import table
from tests.tiny_runs import tiny_run


@pytest.fixture(scope="module")
def icl(tmp_path_factory):
    return tiny_run(tmp_path_factory, "icl_vs_finetune")


def transfer(value, measure, arm, layer: float | str = 1.0, model="trained"):
    return [
        {"seed": seed, "model": model, "schedule": "one_epoch", "measure": measure, "arm": arm, "layer": layer,
         "value": value + 0.001 * seed, "stderr": 0.001}
        for seed in range(3)
    ]  # fmt: skip


def accuracies(zero_shot=0.57, fine_tuned=0.66, in_context=0.87, untrained=0.57):
    trained = {"zero_shot": zero_shot, "fine_tuned": fine_tuned, "in_context": in_context}
    return [
        {"seed": seed, "model": model, "schedule": "one_epoch", "learner": name, "accuracy": mean + 0.001 * seed * i}
        for seed in range(3)
        for model, means in (("trained", trained), ("untrained", {"zero_shot": 0.25, "fine_tuned": untrained}))
        for i, (name, mean) in enumerate(means.items())
    ]


def tables(rec=0.9, lift=0.05, rise=0.1, first=-1.0, tau=0.3, **learned):
    """Tables in which these numbers are measured. first: the rise of the first layer, which says nothing."""
    rows = transfer(rec, "rec2ftp", "fine_tuned") + transfer(first, "sim_am", "rise")
    rows += [row for layer in (2.0, 3.0) for row in transfer(rise, "sim_am", "rise", layer)]
    rows += transfer(lift, "lift", "per_episode") + transfer(lift, "lift", "other")
    for measure in ("sim_aou", "sim_aou_centred"):
        rows += [row for layer in (1.0, 2.0) for row in transfer(lift, measure, "difference", layer)]
    rows += [row for layer in (1.0, 2.0) for row in transfer(0.01, "sim_aou_centred", "difference", layer, "untrained")]
    rows += transfer(0.3, "kendall", "fine_tuned") + transfer(tau, "kendall", "fine_tuned", 2.0)
    return Tables(transfer=rows, accuracy=accuracies(**learned))


@pytest.mark.parametrize(
    ("numbers", "refuted"),
    [
        ({}, []),
        ({"rec": 0.4}, [1]),
        ({"lift": -0.05}, [1, 2, 3]),
        ({"rise": 0.0}, [5]),
        ({"first": 1.0, "rise": -0.1}, [5]),
        ({"tau": -0.075}, [6]),
        ({"fine_tuned": 0.5}, [0]),
        ({"fine_tuned": 0.95}, [0, 7]),
        ({"untrained": 0.3}, [7]),
    ],
    ids=str,
)
def test_verdicts_follow_the_numbers(numbers, refuted):
    verdicts = judged(icl_vs_finetune, tables(**numbers))
    assert [verdict["holds"] for verdict in verdicts] == [i not in refuted for i in range(8)]


def test_no_verdicts_on_decoders_that_learn_nothing_in_context():
    """The numbers are shown all the same; untrained models are judged, whatever others have learned."""
    verdicts = judged(icl_vs_finetune, tables(zero_shot=0.25, fine_tuned=0.25, in_context=0.2495))
    outcomes = [verdict["outcome"] for verdict in verdicts]
    assert outcomes == [Outcome.HOLDS if i in (4, 7) else Outcome.NOT_REACHED for i in range(8)]
    assert all(verdict["measured"] for verdict in verdicts)


def test_a_mean_over_all_layers_is_no_measure_of_attention_maps():
    """Neither that of a decoder of one layer, nor that of tables with one row for all layers."""
    for layer in (1.0, ""):
        directory = Tables(transfer=transfer(0.5, "sim_am", "rise", layer), accuracy=accuracies())
        assert judged(icl_vs_finetune, directory)[5]["outcome"] == Outcome.NOT_MEASURED


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


def judged(figure, directory):
    return [claim.evaluate(directory, {}, figure.CONTROLS) for claim in figure.CLAIMS]
