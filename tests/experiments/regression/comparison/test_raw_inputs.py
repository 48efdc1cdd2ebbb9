"""What normalised inputs are worth: verdicts on tables whose answers are known, and a training that diverges."""

import dataclasses
import math

import numpy as np
import pytest

from analysis import figures
from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.regression.comparison import evaluation
from experiments.regression.comparison.figures import raw_inputs

DATA = ("bike", "california", "calories", "wine")
HOW = ("none", "zscore", "minmax")
SEEDS = (0, 1, 2)
LEARNERS = ("transformer", "learned_descent")
JUMP = [f"train_jump.{name}" for name in LEARNERS]
TESTED = {f"{kind}.{name}": 0.1 for kind in ("loss", "train_loss") for name in LEARNERS}  # drawn, and read by no claim
SMOOTH, JUMPS = (1.1, 1.25, 1.1), (1.1, 4.0, 1.1)  # the largest jumps of the training loss before three evaluations


def rows(points, numbers):
    return [
        {"data": data, "data.normalization": how, "seed": float(seed)} | row
        for data, how in points
        for seed in SEEDS
        for row in numbers(data, how, seed)
    ]


def tables(raw=JUMPS, raw_loss=0.4, diverged=(), without=()):
    """Tables in which normalised runs train smoothly to a test loss of .1.

    Args:
        diverged: (data, normalisation, seed) of trainings that diverged at step 7. without: points with no other rows.
    """
    points = [(data, how) for data in DATA for how in HOW if (data, how) not in without]

    def curves(data, how, seed):
        yield {"step": 0.0} | dict.fromkeys(JUMP, math.nan) | TESTED  # as an empty cell of a file is read
        for step, jump in enumerate(raw if how == "none" else SMOOTH, start=1):
            yield {"step": 10.0 * step} | dict.fromkeys(JUMP, jump * (1 + 1e-4 * seed * step)) | TESTED

    def seeds(data, how, seed):
        loss = raw_loss if how == "none" else 0.1
        for learner, test in (("transformer", loss), ("learned_descent", loss), ("mean", 0.5)):
            noisy = test + 1e-4 * seed * (2 if how == "none" else 1)
            yield {"evaluation": "test", "learner": learner, "loss": noisy}

    gone = set(diverged)
    made = {"curves": rows(points, curves), "seeds": rows(points, seeds)}
    made = {
        name: [row for row in each if (row["data"], row["data.normalization"], row["seed"]) not in gone]
        for name, each in made.items()
    }
    if diverged:
        made["diverged"] = [
            {"data": data, "data.normalization": how, "seed": float(seed), "step": 7.0, "why": "nan"}
            for data, how, seed in diverged
        ]
    return Tables(**made)


def outcomes(directory, failed=None):
    claims = figures.evaluate_claims("raw_inputs", directory, failed or {})
    return [claim["outcome"] for claim in claims], [claim["why"] for claim in claims]


def test_the_steadiness_is_one_over_the_largest_jump():
    directory = tables(raw=(1.5, 4.0, 2.0))
    for who in raw_inputs.LEARNERS.values():
        assert raw_inputs.steadiness("none").numbers(directory)[f"Bike, {who}"].by_seed[0.0] == 0.25
        assert raw_inputs.steadiness("zscore").numbers(directory)[f"Bike, {who}"].by_seed[0.0] == 0.8


def test_jumps_are_those_from_one_batch_to_the_next():
    losses = np.array([[1.0, 2.0, 1.0, 3.0], [4.0, 2.0, 1.0, 0.5]])
    assert evaluation.jumps_of({"a": losses, "b": losses[:, :1]}) == {"a": [3.0, 0.5], "b": [None, None]}


def test_a_seed_that_diverges_is_not_steady_and_is_left_out_of_losses():
    directory = tables(raw=SMOOTH, diverged=[("bike", "none", 1)])
    steadiness = raw_inputs.steadiness("none").numbers(directory)["Bike, Transformer"]
    assert steadiness.by_seed == pytest.approx({0.0: 0.8, 1.0: 0.0, 2.0: 0.8}, rel=1e-3)
    assert raw_inputs.losses("none").numbers(directory)["Bike, RAG"].by_seed.keys() == {0.0, 2.0}
    bad = tables(diverged=[("bike", "zscore", 1)])
    with pytest.raises(NotMeasured, match=r"Bike, zscore: 1 of the seeds diverged.*at step 7"):
        raw_inputs.losses("zscore").numbers(bad)


def test_a_point_that_diverged_in_every_seed_is_a_finding():
    """Its training is not stable; its test loss is not measured, with the step as the reason."""
    points = [(data, "none") for data in DATA]
    directory = tables(diverged=[(*point, seed) for point in points for seed in SEEDS], without=points)
    failed = {f"data={data}, normalization=none": "the training loss became nan at step 7" for data in DATA}
    verdicts, why = outcomes(directory, failed)
    assert verdicts == [Outcome.HOLDS] * 2 + [Outcome.NOT_MEASURED]
    assert all("at step 7" in reason for reason in why[2:])
    figures.load("raw_inputs").draw(directory)


def test_what_was_not_run_is_not_measured():
    directory = tables(without=[("wine", "none")])
    assert outcomes(directory)[0] == [Outcome.NOT_MEASURED] * 3
    without_claims = dataclasses.replace(figures.load("raw_inputs").CLAIMS[2], controls=())
    assert "wine" in without_claims.evaluate(directory, {})["why"]
