"""The kind `task_diversity`: a tiny sweep over sizes of the pool in one program; when its claims have no verdict."""

import dataclasses
import math

import numpy as np
import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured, Row
from experiments.functions.task_diversity.results import CLAIMS, CONTROLS, crossing
from tests.run_files import check_experiment, table

pytestmark = pytest.mark.slow  # whole experiments


def test_pools_of_all_sizes_are_one_program(tiny):
    assert "program 1 of 1" in tiny.outcome.stdout
    summary = tiny.summary
    assert [bool(claim["measured"]) for claim in summary["claims"][:2]] == [True, True]  # the third needs a crossing
    for directory in tiny.directory.parent.iterdir():
        if directory != tiny.directory:
            check_experiment(directory, "task_diversity")
    assert {point["together"]["models"] for point in summary["points"].values()} == {4}
    rows = table(tiny.directory, "curves")
    assert {(row["pool.size"], row["step"], row["seed"]) for row in rows} == {
        (size, step, seed) for size in ("2", "16") for step in "024" for seed in "01"
    }
    for row in rows:  # each answer is the best where it is made for
        assert float(row["error_fresh.ridge"]) < float(row["error_fresh.dmmse"])
    small = [row for row in rows if row["pool.size"] == "2"]
    assert np.mean([float(row["error_pool.dmmse"]) - float(row["error_pool.ridge"]) for row in small]) < 0
    assert len({row["error_pool.dmmse"] for row in small}) == 2  # seeds have pools of their own


def rows_of(by_step, seeds=3):
    """{step: {size: log2 of the distance from dMMSE over that from ridge}}."""
    return [
        Row({
            "pool.size": float(size), "step": float(step), "seed": float(seed),
            **{f"distance_{place}.{name}": 2.0 ** (ratio + 0.01 * seed if name == "dmmse" else 0)
               for place in ("pool", "fresh") for name in ("dmmse", "ridge")},
        })
        for step, by_size in by_step.items()
        for size, ratio in by_size.items()
        for seed in range(seeds)
    ]  # fmt: skip


def test_the_crossing_is_where_ridge_becomes_nearer_for_good():
    result = crossing(rows_of({4: {1: -1, 4: 1, 16: -1, 64: 3}}, seeds=1))
    assert result.by_seed == pytest.approx({0: 4.5})
    assert crossing(rows_of({4: {1: 1, 4: 1}}, seeds=1)).by_seed == {0: -math.inf}
    assert crossing(rows_of({4: {1: 1, 4: -1}}, seeds=1)).by_seed == {0: math.inf}
    with pytest.raises(NotMeasured, match="two sizes"):
        crossing(rows_of({4: {4: 1}}))


FEW, MANY = {1: -5, 4: -1, 64: 2}, {1: -5, 4: -1, 64: 0.5}


@pytest.mark.parametrize(
    ("by_step", "claim", "why"),
    [
        ({0: FEW, 4: MANY}, 2, "there is no evaluation near 0.5 of the steps"),
        ({0: {1: -5}, 4: {1: -4}}, 0, "there is no size smallest above 1"),
    ],
)
def test_what_is_called_so_is_there_or_not_measured(by_step, claim, why):
    """The untrained decoders are not those at half of the steps, and a pool of one function says nothing of several."""
    evaluated = dataclasses.replace(CLAIMS[claim], controls=()).evaluate(Tables(curves=rows_of(by_step)), {})
    assert evaluated["why"] == why


@pytest.mark.parametrize(
    ("gained", "later", "outcomes"),
    [
        (0.9, 0.01, [True, True, True]),
        (0.0, 0.0, [None, None, None]),  # untrained decoders
        (0.4, 0.01, [None, None, None]),
        (0.9, 0.2, [None, None, True]),  # training was under way: the third is about that
    ],
)
def test_no_verdict_on_decoders_that_have_not_learned(gained, later, outcomes):
    """dMMSE gains .8 over the answer 0, decoders this share of it. later: of the loss gained, in the second half."""
    rows = rows_of({0: FEW, 2: FEW, 4: MANY})
    losses = {0.0: 2.0, 2.0: 1.0 + later, 4.0: 1.0}
    for row in rows:
        noise = 0.001 * row["seed"]
        row |= {"error_pool.dmmse": 0.2, "error_pool.decoder": 1 - 0.8 * gained + noise}
        row["loss.decoder"] = losses[row["step"]] + noise
    verdicts = [claim.evaluate(Tables(curves=rows), {}, CONTROLS) for claim in CLAIMS]
    assert [each["holds"] for each in verdicts] == outcomes
    assert {each["outcome"] for each in verdicts if each["holds"] is None} <= {Outcome.NOT_REACHED}
