"""Claims of `softmax_heads`, `layer_norm` and `stacks`, on made-up tables, by their criteria alone: their controls are
in tests/experiments/regression/comparison/test_controls_of_layers.py."""

import dataclasses

import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.regression.comparison.figures import layer_norm, softmax_heads, stacks


def rows(part, learner, loss, cosine=None):
    """Of three seeds, whose losses differ and whose ratios hardly do."""
    return [
        {"part": part, "seed": float(seed), "evaluation": "test", "learner": learner, "loss": loss * (1 + 0.1 * seed),
         "sensitivity_cosine": "" if cosine is None else cosine + 1e-4 * seed}
        for seed in range(3)
    ]  # fmt: skip


class Directory:
    """parts: {part: (loss, cosine with gradient descent, loss of gradient descent, cosine with GD++)}."""

    def __init__(self, parts):
        self.rows = []
        for part, (loss, cosine, descent, corrected) in parts.items():
            self.rows += rows(part, "transformer", loss)
            self.rows += rows(part, "gradient_descent", descent, cosine)
            self.rows += rows(part, "gd_plus_plus", descent, corrected)

    def has_table(self, name):
        return name == "seeds"

    def read_table(self, name):
        return self.rows


def verdicts(figure, **parts):
    claims = [dataclasses.replace(claim, controls=(), refutation_controls=()) for claim in figure.CLAIMS]
    return [claim.evaluate(Directory(parts), {})["holds"] for claim in claims]


@pytest.mark.parametrize(
    ("two", "expected"),
    [
        ((0.9, 0.9, 0.8, 0.9), [True, True, True, False, True, True]),
        ((0.801, 0.99, 0.8, 0.9), [True, True, False, True, True, True]),
        ((1.19, 0.6, 0.8, 0.9), [True, False, True, False, False, False]),
        ((0.801, 0.9999, 0.8, 0.9), [True, True, False, True, False, True]),
    ],
)
def test_two_softmax_heads(two, expected):
    linear, one = (0.8, 0.999, 0.8, 0.9), (1.2, 0.7, 0.8, 0.9)
    assert verdicts(softmax_heads, linear=linear, softmax_1=one, softmax_2=two) == expected


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


def test_one_softmax_head_as_good_as_a_linear_one():
    good = (0.8, 0.999, 0.8, 0.9)
    assert verdicts(softmax_heads, linear=good, softmax_1=(0.802, 0.9, 0.8, 0.9), softmax_2=good)[0] is False


@pytest.mark.parametrize(
    ("four", "normed", "expected"),
    [(1.1, (1.2, 0.8), [True, True]), (0.9, (1.2, 0.8), [True, False]), (0.803, (0.804, 0.9999), [False, True])],
)
def test_layer_norm(four, normed, expected):
    result = verdicts(
        layer_norm,
        linear=(0.8, 0.999, 0.8, 0.9),
        layer_norm_1=(*normed, 0.8, 0.9),
        layer_norm_4=(four, 0.8, 0.8, 0.9),
    )
    assert result == expected


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ((0.1, 0.9, 0.3, 0.999), [True, True]),
        ((0.25, 0.9, 0.3, 0.999), [False, True]),
        ((0.1, 0.9, 0.3, 0.95), [True, False]),
        ((0.4, 0.9, 0.3, 0.999), [False, False]),
    ],
)
def test_weights_of_their_own(own, expected):
    assert verdicts(stacks, looped_2=(0.2, 0.9, 0.3, 0.999), own_2=own) == expected
