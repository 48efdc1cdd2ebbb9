"""Claims of `softmax_heads`, `stacks` and `momentum_regression` that tests/experiments/test_results.py cannot move, on
made-up tables and by their criteria alone."""

import dataclasses

import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.regression.comparison.figures import momentum_regression, softmax_heads, stacks

SEEDS = [(float(seed), 1 + 0.1 * seed) for seed in range(3)]  # their losses differ, and ratios hardly do


def seed_rows(part, learner, **numbers):
    place = {"part": part, "evaluation": "test", "learner": learner}
    return [
        place | {"seed": seed, **{name: value * factor for name, value in numbers.items()}} for seed, factor in SEEDS
    ]


def curve_rows(losses):
    """losses: {part: {step: the loss}}."""
    return [
        {"part": part, "seed": seed, "step": step, "loss.transformer": loss * factor}
        for part, by_step in losses.items()
        for step, loss in by_step.items()
        for seed, factor in SEEDS
    ]


def verdicts(figure, **tables):
    claims = [dataclasses.replace(claim, controls=(), refutation_controls=()) for claim in figure.CLAIMS]
    return [claim.evaluate(Tables(**tables), {})["holds"] for claim in claims]


def test_one_seed_that_stays_at_the_loss_of_one_head_refutes_all():
    """If its loss is flat; the share is that of the seeds. One that is on its way refutes nothing."""
    claim = softmax_heads.CLAIMS[-1]

    def verdict(middle):
        gaps = {0: 0.05, 1: 0.4, 2: 0.04, 3: 0.05}
        seeds = [
            {"part": "softmax_2", "seed": seed, "evaluation": "test", "learner": learner, "loss": loss}
            for seed, gap in gaps.items()
            for learner, loss in (("transformer", 0.8 * (1 + gap)), ("gradient_descent", 0.8))
        ]
        curves = [
            {"part": "softmax_2", "step": step, "seed": seed, "loss.transformer": loss}
            for seed, gap in gaps.items()
            for step, loss in ((0.0, 1.6), (50.0, middle if seed == 1 else 0.9), (100.0, 0.8 * (1 + gap)))
        ]
        return claim.evaluate(Tables(seeds=seeds, curves=curves), {})

    refuted = verdict(1.121)
    assert refuted["outcome"] == Outcome.DOES_NOT_HOLD
    assert [*refuted["measured"].values()] == [0.25]
    assert verdict(1.3)["outcome"] == Outcome.NOT_REACHED


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ((0.1, 0.999), [True, True]),
        ((0.25, 0.999), [False, True]),
        ((0.1, 0.95), [True, False]),
        ((0.4, 0.999), [False, False]),
    ],
)
def test_weights_of_their_own(own, expected):
    """own: the loss, and the cosine with GD++; gradient descent's loss is .3."""
    rows = []
    for part, (loss, cosine) in {"looped_2": (0.2, 0.999), "own_2": own}.items():
        rows += seed_rows(part, "transformer", loss=loss)
        rows += seed_rows(part, "gradient_descent", loss=0.3)
        rows += [row | {"sensitivity_cosine": cosine} for row in seed_rows(part, "gd_plus_plus", loss=0.3)]
    assert verdicts(stacks, seeds=rows) == expected


LOSSES = {"linear_1": (0.5, 0.4), "linear_2": (0.3, 0.2), "momentum_1": (0.48, 0.39), "momentum_2": (0.29, 0.19)}


@pytest.mark.parametrize(
    ("losses", "expected"),
    [
        ({}, [True, True]),
        ({"momentum_2": (0.31, 0.19)}, [False, True]),
        ({"momentum_1": (0.48, 0.41)}, [True, False]),
    ],
)
def test_momentum(losses, expected):
    """losses: {part: (at half of the steps, at the end)}."""
    curves = {part: dict(zip((50.0, 100.0), both, strict=True)) for part, both in (LOSSES | losses).items()}
    assert verdicts(momentum_regression, curves=curve_rows(curves))[:2] == expected
