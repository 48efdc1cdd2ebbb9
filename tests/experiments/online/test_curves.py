"""The control that a training was at its end, on curves made by hand."""

from analysis.figures.controls import not_reached
from analysis.figures.estimates import CONFIDENCE
from analysis.tables.in_memory import Tables
from experiments.online.curves import CURVES, LAYER, PART, SEED, STEP, at_its_end, at_step


def why(halves, distance=0.02):
    """Why the control is not met, for errors of {(task, layer): error at half of the steps}, and of .3 at the end.

    Tasks are trained for 10 and for 20 steps, and three seeds differ by a thousandth.
    """
    rows = [
        {PART: part, LAYER: layer, STEP: step, SEED: seed, at_step.name: error + 0.001 * seed * (step == last)}
        for (part, layer), half in halves.items()
        for last in [{"plain": 10, "drift": 20}[part]]
        for step, error in ((0, 1.0), (last // 2, half), (last, 0.3))
        for seed in range(3)
    ]
    parts = tuple(dict.fromkeys(part for part, _ in halves))
    control = at_its_end(tuple(dict.fromkeys(layer for _, layer in halves)), *parts, distance=distance)
    return not_reached([control], Tables(**{CURVES: rows}), CONFIDENCE)


def test_it_is_met_where_all_layers_are_flat_on_all_tasks():
    flat = {("plain", "delta"): 0.31, ("drift", "delta"): 0.305, ("plain", "mesa"): 0.3, ("drift", "mesa"): 0.295}
    assert why(flat) == ""
    assert "training of delta and mesa is at its end on plain and drift" in why(flat | {("drift", "mesa"): 0.35})
    assert why(flat | {("drift", "mesa"): 0.35}, distance=0.1) == ""


def test_an_error_that_rises_is_no_end_either():
    assert why({("plain", "delta"): 0.31}) == ""
    assert why({("plain", "delta"): 0.2})
