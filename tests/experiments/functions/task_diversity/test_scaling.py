"""The threshold of task diversity by the number of inputs, on made-up tables; its claims."""

import dataclasses
import math

import numpy as np
import pytest

from analysis.figures.estimates import Estimate
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.functions.task_diversity.crossing import by_inputs, finite, growth, thresholds
from experiments.functions.task_diversity.figures import diversity_scaling
from experiments.functions.task_diversity.results import LEARNED

SIZES = (2, 8, 32, 128)


def curves(at):
    """A table where new functions of d inputs are answered as near to ridge as to dMMSE at log2 M = at(d, step).

    log2 of the ratio of distances is a straight line in log2 M, so the crossing is exact between any two sizes.
    """
    rows = []
    for inputs in (2, 4, 6):
        for size in SIZES:
            for step in (0.0, 50.0, 100.0):
                for seed in range(3):
                    ratio = math.log2(size) - at(inputs, step) - 0.01 * seed
                    distances = {f"distance_{place}.dmmse": 2.0**ratio for place in ("pool", "fresh")}
                    distances |= {f"distance_{place}.ridge": 1.0 for place in ("pool", "fresh")}
                    rows.append(
                        {"part": f"inputs_{inputs}", "pool.size": float(size), "step": step, "seed": seed} | distances
                    )
    return Tables(curves=rows)


def holds(directory):
    claims = [dataclasses.replace(claim, controls=()) for claim in diversity_scaling.CLAIMS]
    return [claim.evaluate(directory, {})["holds"] for claim in claims]


def test_thresholds_and_their_growth():
    directory = curves(lambda inputs, step: 1 + 0.75 * inputs + 0.01 * step)
    assert [*by_inputs(directory)] == [2, 4, 6]
    end, half = thresholds(directory), thresholds(directory, 0.5)
    assert {inputs: each.by_seed[0] for inputs, each in end.items()} == pytest.approx({2: 3.5, 4: 5, 6: 6.5})
    assert {inputs: each.by_seed[2] for inputs, each in half.items()} == pytest.approx({2: 3.02, 4: 4.52, 6: 6.02})
    assert growth(end).by_seed == pytest.approx(dict.fromkeys(range(3), 0.75))
    with pytest.raises(NotMeasured, match="two numbers of inputs"):
        growth({2: Estimate({0: 1.0})})


@pytest.mark.parametrize(
    ("slope", "later", "expected"),
    [(0.75, 0.01, [True]), (-0.5, 0.01, [False])],
)
def test_claims(slope, later, expected):
    assert holds(curves(lambda inputs, step: 4 + slope * (inputs - 4) + later * (step - 100))) == expected


def test_decoders_must_have_learned_in_every_part():
    """Each size of the pool is in every part, and one decoder that has learned little is enough for no verdict."""
    directory = curves(lambda inputs, step: 4 + 0.75 * (inputs - 4) + 0.01 * (step - 100))
    for row in directory.tables["curves"]:
        row.update({"error_pool.decoder": 0.2, "error_pool.dmmse": 0.1})
    (claim,) = (dataclasses.replace(each, controls=(LEARNED,)) for each in diversity_scaling.CLAIMS)
    assert len(LEARNED.judge(directory)) == 3 * len(SIZES)
    assert claim.evaluate(directory, {})["outcome"] == "holds"
    for row in directory.tables["curves"]:
        row["error_pool.decoder"] = 0.9 if (row["part"], row["pool.size"]) == ("inputs_6", 8.0) else 0.2
    verdict = claim.evaluate(directory, {})
    assert verdict["outcome"] == "not reached"
    assert "inputs 6" in verdict["why"]


def test_seeds_that_disagree_give_no_verdict():
    directory = curves(lambda inputs, step: 4 + 0.01 * (step - 100))
    for row in directory.tables["curves"]:
        row["distance_fresh.dmmse"] *= 2.0 ** (
            0.5 * (row["seed"] - 1) * (row["part"] == "inputs_6") * row["step"] / 100
        )
    assert holds(directory) == [None]


def test_a_seed_without_a_crossing_gives_no_verdict():
    directory = curves(lambda inputs, step: 9.0 if inputs == 6 else 4.0)
    with pytest.raises(NotMeasured, match="with 6 inputs some seed has no crossing"):
        finite(thresholds(directory))
    assert holds(directory) == [None]


def test_thresholds_are_drawn_beside_the_source_s():
    from analysis.figures import style

    directory = curves(lambda inputs, step: 1 + 0.75 * inputs + 0.01 * step)
    with style.paper(), style.closed():
        left, right = diversity_scaling.draw(directory).axes[:2]
        ratios = {line.get_label(): line for line in left.get_lines()}
        assert len([label for label in left.get_legend_handles_labels()[1] if label.startswith("d = ")]) == 3
        assert ratios
        means = {line.get_label(): drawn_at(line, 1) for line in right.get_lines()}
        assert means["end of training"] == pytest.approx([3.51, 5.01, 6.51])  # seeds differ by .01
        assert means["half of the steps"] == pytest.approx([3.01, 4.51, 6.01])
        (source,) = [line for line in right.get_lines() if str(line.get_label()).startswith("Raventós")]
        assert drawn_at(source, 1) == [14, 15]


def drawn_at(line, axis):
    """The places of a line along one axis."""
    return np.asarray(line.get_ydata() if axis else line.get_xdata()).tolist()
