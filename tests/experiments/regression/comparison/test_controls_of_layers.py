"""Controls of the experiments on kinds of layers, on made-up curves: claims whose criteria are always met have a
verdict where their controls are met, and none elsewhere."""

import dataclasses

import pytest

from analysis import figures
from analysis.figures.claim import Outcome
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from tests.command_line import TINY, ran
from tests.experiments.regression.comparison.test_controls import BEGUN, LEARNED, curves
from tests.run_files import directory_of, summary_of

UNTRAINED = (1.0, 1.0, 1.0, 0.2)
PARTS = {  # of each figure, and the part without which no claim has a verdict
    "softmax_heads": ["linear", "softmax_1", "softmax_2", "softmax_4"],
    "layer_norm": ["linear", "layer_norm_1", "layer_norm_4"],
    "stacks": ["looped_5", "own_5"],
    "momentum_regression": ["linear_1", "linear_2", "momentum_1", "momentum_2"],
}


def outcomes(figure, tables):
    claims, controls = figures.claims_of(figure)
    judged = [claim for claim in claims if claim.controls != ()]  # not on how many seeds fail
    always = [dataclasses.replace(claim, judge=lambda _: [above("one", exact(1.0))]) for claim in judged]
    return [claim.evaluate(tables, {}, controls)["outcome"] for claim in always]


def by_part(**losses):
    return Tables(curves=[row for part, each in losses.items() for row in curves(*each, part=part)])


@pytest.mark.parametrize("figure", PARTS)
def test_the_linear_layers_must_have_learned(figure):
    learned = dict.fromkeys(PARTS[figure], LEARNED)
    assert {*outcomes(figure, by_part(**learned))} == {Outcome.HOLDS}
    for wrong in (UNTRAINED, BEGUN):
        assert {*outcomes(figure, by_part(**(learned | {PARTS[figure][0]: wrong})))} == {Outcome.NOT_REACHED}


@pytest.mark.parametrize("figure", ["softmax_heads", "layer_norm"])
def test_a_seed_that_is_stuck_is_left_out_and_counted(figure):
    """Of three seeds one stays on its plateau with the linear layer, and would turn the mean."""
    stuck = [row | {"part": PARTS[figure][0]} for row in curves(*UNTRAINED) if row["seed"] == 2]
    tables = by_part(**dict.fromkeys(PARTS[figure], LEARNED)).read_table("curves")
    kept = [row for row in tables if (row["part"], row["seed"]) != (PARTS[figure][0], 2)]
    module, number = figures.load(figure), Estimate({0: 1.0, 1: 1.01, 2: -50.0})
    for claim in module.CLAIMS:
        if claim.controls == ():
            continue
        judged = dataclasses.replace(claim, judge=lambda _: [above("one", number)])
        verdict = judged.evaluate(Tables(curves=[*kept, *stuck]), {}, getattr(module, "CONTROLS", ()))
        assert (verdict["outcome"], verdict["seeds"], verdict["seeds_tried"]) == (Outcome.HOLDS, 2, 3)


@pytest.mark.parametrize(
    ("figure", "part", "reached"),
    [
        ("softmax_heads", "softmax_1", [False, False, True, True, False]),
        ("softmax_heads", "softmax_2", [True, False, False, False, False]),
        ("softmax_heads", "softmax_4", [True] * 5),
        ("layer_norm", "layer_norm_4", [False, False]),
        ("stacks", "own_5", [False, False]),
        ("momentum_regression", "momentum_1", [False] * 3),
    ],
)
def test_a_claim_needs_the_end_of_what_it_is_about(figure, part, reached):
    parts = dict.fromkeys(PARTS[figure], LEARNED) | {part: BEGUN}
    assert [outcome == Outcome.HOLDS for outcome in outcomes(figure, by_part(**parts))] == reached


@pytest.mark.parametrize(
    ("parts", "reached"),
    [
        ({}, [True] * 5),
        ({"linear": UNTRAINED}, [True] * 5),  # a plateau is what the claim is about
        ({"linear": BEGUN}, [True] * 4 + [False]),
        ({"softmax": UNTRAINED}, [False] * 5),
        ({"softmax": BEGUN}, [False] * 5),
    ],
)
def test_interleaved(parts, reached):
    tables = by_part(**(dict.fromkeys(("softmax", "linear"), LEARNED) | parts))
    assert [outcome == Outcome.HOLDS for outcome in outcomes("interleaved", tables)] == reached


@pytest.mark.parametrize(
    ("trained", "learned_descent", "reached"),
    [(LEARNED, LEARNED, True), (LEARNED, UNTRAINED, False), (UNTRAINED, LEARNED, False), (BEGUN, LEARNED, False)],
)
def test_sine_waves(trained, learned_descent, reached):
    """Gradient descent on x has the loss .9."""
    rows = [
        row | {"loss.learned_descent": other["loss.transformer"]}
        for row, other in zip(curves(*trained), curves(*learned_descent), strict=True)
    ]
    ends = {"transformer": trained[-2], "learned_descent": learned_descent[-2], "gradient_descent": 0.9}
    seeds = [
        {"seed": float(seed), "evaluation": "test", "learner": learner, "loss": loss + 1e-4 * seed}
        for learner, loss in ends.items()
        for seed in range(3)
    ]
    for row in rows:
        del row["part"]
    found = outcomes("sine", Tables(curves=rows, seeds=seeds))
    assert {outcome == Outcome.HOLDS for outcome in found} == {reached}


def test_repeated_layers():
    """A layer is no worse than gradient descent where it is applied as often as in training."""

    def tables(alone, looped):
        return Tables(
            applications=[
                {"layers": layers, "damping": 1.0, "learner": learner, "seed": float(seed), "applications": count}
                | {"loss": (loss if count == layers else 9.0) + 1e-4 * seed}
                for layers, trained in ((1.0, alone), (2.0, looped))
                for learner, loss in (("transformer", trained), ("gradient_descent", 0.5))
                for count in (1.0, 2.0)
                for seed in range(3)
            ]
        )

    assert {*outcomes("more_steps", tables(0.501, 0.3))} == {Outcome.HOLDS}
    for untrained in (tables(1.0, 0.3), tables(0.501, 0.52)):
        assert {*outcomes("more_steps", untrained)} == {Outcome.NOT_REACHED}


@pytest.mark.slow
def test_a_hundred_steps_of_softmax_heads_have_no_verdict(tmp_path):
    words = [word for word in TINY if not word.startswith(("train.steps", "train.eval_every"))]
    ran("experiment=softmax_heads", *words, "seeds=3", "train.steps=100", "train.eval_every=20", cwd=tmp_path)
    claims = summary_of(directory_of(tmp_path))["claims"]
    assert len(claims) == 6
    assert {claim["outcome"] for claim in claims} == {Outcome.NOT_REACHED}
