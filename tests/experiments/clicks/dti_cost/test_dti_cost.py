"""`dti_cost` on a tiny budget: programs that compute the same, the order in which they run, tables, verdicts."""

import itertools

import jax
import numpy as np
import optax
import pytest

from analysis import figures
from analysis.metrics.cost import tokens_gain
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti_cost import results
from experiments.clicks.dti_cost.programs import (
    Size,
    decoder_of,
    growing,
    growth_row,
    loss,
    program_of,
    streams_of,
    ways,
)
from experiments.clicks.dti_cost.results import PARTS, SLIDING, Pass
from experiments.clicks.dti_cost.settings import CostModel, DtiCost
from lab.config.choices import StreamScheme
from lab.runs.directory import RunDirectory
from tests.run_files import table

pytestmark = pytest.mark.slow  # whole experiments

LOCAL = CostModel(num_layers=2, num_heads=2, scheme=StreamScheme.local)  # answers of prompts are those of windows
FEW = DtiCost(sizes=[[3, 4, 3, 8]], blocks=[1, 2], targets=16, tokens=52, rounds=2, seconds=0.001, model=LOCAL)
SIZE = Size(3, 4, 3, 8)


def test_every_way_has_the_same_loss_and_gradient():
    """Of the same targets; the scheme `local` answers them alike in every prompt. Float32 sums of 16 targets.

    Before its first step the mean of gradients is 0 in AdamW, so behind it that is a tenth of the gradient.
    """
    results = {way: program_of(FEW, SIZE, way, Pass.STEP).call() for way in ways(FEW, SIZE)}
    results = {way: (loss.item(), averages_of(state)) for way, (state, loss) in results.items()}
    loss, gradient = results.pop(SLIDING)
    assert float(program_of(FEW, SIZE, SLIDING, Pass.FORWARD).call()) == pytest.approx(float(loss), rel=1e-5)
    at_once = {"full", "band_1", "band_2"}
    assert {*results} == at_once | {way + PARTS for way in (SLIDING, *at_once)}
    for other_loss, other_gradient in results.values():
        assert float(other_loss) == pytest.approx(float(loss), rel=1e-5)
        for a, b in zip(other_gradient, gradient, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)


def averages_of(state):
    """The means of the gradient in AdamW."""
    (adam,) = (each for each in jax.tree.leaves(state.optimizer, is_leaf=is_adam) if is_adam(each))
    return jax.tree.leaves(adam.mu)


def is_adam(each):
    return isinstance(each, optax.ScaleByAdamState)


def test_programs_say_how_many_targets_they_have_and_which_can_be_counted():
    programs = {way: program_of(FEW, SIZE, way, Pass.FORWARD) for way in ways(FEW, SIZE)}
    assert all(program.steps % 16 == 0 for program in programs.values())
    uncounted = {way for way, program in programs.items() if program.operations is None}
    assert uncounted == {way for way in programs if way.endswith(PARTS)}, "XLA counts a loop once"


def test_with_blocks_of_one_interaction_operations_are_saved_as_tokens_are():
    """Then a token has as many keys as in a sliding window. Of six layers, as in the last one [SUM]s need more than
    tokens do; counted before XLA compiles, so that it costs little."""
    size = Size(6, 12, 12, 32)
    settings = DtiCost(blocks=[1, size.n], model=CostModel(num_layers=6, num_heads=2), targets=size.k)

    def operations(way):
        targets, block = ways(settings, size)[way]
        decoder = jax.eval_shape(lambda: decoder_of(settings, size, targets, block))
        lowered = jax.jit(loss).lower(decoder, streams_of(settings, size, targets))
        return lowered.cost_analysis()["flops"]

    sliding, tokens = operations(SLIDING), tokens_gain(size.n, size.k, size.c)
    assert sliding / operations(f"band_{size.n}") == pytest.approx(tokens, rel=0.01)
    assert sliding / operations("band_1") < 0.9 * tokens


def test_a_gain_has_the_faster_of_at_once_and_in_parts_on_both_sides():
    milliseconds = {SLIDING: 8.0, "sliding_parts": 6.0, "full": 2.0, "full_parts": 3.0, "band_1": 1.9,
                    "band_1_parts": 1.5}  # fmt: skip
    place = {"n": 10, "k": 10, "c": 3, "d": 32, "pass": Pass.STEP}
    steps = [
        place | {"program": way, "round": turn, "milliseconds": (1 + turn) * value}
        for turn in range(3)
        for way, value in milliseconds.items()
    ]
    gains = results.gains(Tables(steps=steps), Row(place))
    assert [*gains] == ["band_1", "full"], "the fastest first"
    assert {way: gain.mean for way, gain in gains.items()} == pytest.approx({"band_1": 4.0, "full": 3.0})


def test_a_run_leaves_tables(tiny):
    rows = table(tiny.directory, "steps")
    assert len(rows) == 2 * 2 * 6 * 2  # sizes, passes, ways, rounds
    assert all(float(row["milliseconds"]) > 0 for row in rows)
    assert len(table(tiny.directory, "cost")) == 2 * 2
    assert {*tiny.summary["numbers"]} >= {f"share.n=2, k={k}, c=2, d=4" for k in (2, 4)}


def tables(directory, k, windows, flops=1.0):
    """One size with the times of some programs, whose noise has opposite signs in any two that are compared."""
    place = {"n": 20.0, "k": float(k), "c": 3.0, "d": 32.0, "pass": Pass.STEP}
    formula = 20 * k / (20 + k)
    directory.write_table(
        "steps",
        [
            place | {"round": turn, "program": way} | dict.fromkeys(("milliseconds", "cpu_milliseconds"), time)
            for turn in range(4)
            for i, (way, value) in enumerate(windows.items())
            for time in [value * (1 + turn) * (1 + 1e-5 * (-1) ** (turn + i))]
        ],
    )
    counted = {
        "formula": formula,
        "tokens": 6.0,
        "projections": 5.9,
        "flops.full": 1.0,
        "flops.band_1": flops * formula,
    }
    directory.write_table("cost", [place | counted])


@pytest.mark.parametrize(
    ("share", "flops", "full", "expected"),
    [
        (0.9, 0.995, 1.5, [True, False, True]),
        (0.5, 0.8, 0.8, [False, False, False]),
        (0.66, 1.02, 1.01, [True, False, True]),
    ],
)
def test_verdicts(tmp_path, share, flops, full, expected):
    """Of a band with this share of the formula, and of one matrix of scores that takes so many times as long."""
    directory, formula = RunDirectory(tmp_path), 20 * 40 / 60
    tables(directory, 40, {"sliding_parts": formula, "band_1": 1 / share, "full": full / share, "sliding": 99.0}, flops)
    held = [each["holds"] for each in figures.evaluate_claims("dti_cost", directory, {})]
    assert held[:3] == [None] * 3, "no k of the source, and no growth"
    assert held[3:] == expected


@pytest.mark.parametrize(("saved", "holds"), [(0.005, True), (-0.005, False)])
@pytest.mark.parametrize("k", results.LEAST_REDUCTION)
def test_time_falls_as_in_table_3(tmp_path, k, saved, holds):
    """Where a prompt takes 1 - r of the processor's time, with r a little above or below the source's smallest."""
    directory = RunDirectory(tmp_path)
    least = results.LEAST_REDUCTION[k]
    tables(directory, k, {"sliding": 2.0, "sliding_parts": 1.0, "full": 1.5, "band_1": 1 - least - saved})
    (bound,) = [each for each in results.table_3().bounds if str(each).endswith(f"{least:g}")]
    assert [condition.met for condition in bound(directory)] == [holds]


def test_operations_of_a_prompt_grow_linearly_with_a_window_and_quadratically_without():
    """Counts of real programs, and in closed form: attention of one layer has 4 A H (keys) operations per query."""
    settings = DtiCost(model=CostModel(num_layers=2, num_heads=2))
    size = Size(3, 4, 2, 8)
    counts, tokens = {}, {}
    for k, way in itertools.product((4, 8, 16, 32), growing(settings)):
        row = growth_row(settings, Size(3, k, 2, 8), way)
        counts[way, k], tokens[way, k] = row["operations"], row["tokens"]
    assert [tokens["full", k] for k in (4, 8)] == [(size.n + k) * size.c + k for k in (4, 8)]
    assert tokens["sliding", 8] == 8 * ((size.n + 1) * size.c + 1)
    assert all(counts["split", k] < counts["windowed", k] < counts["sliding", k] for k in (4, 8, 16, 32))
    second = {
        way: [counts[way, 4 * b] - 2 * counts[way, 2 * b] + counts[way, b] for b in (4, 8)]
        for way in ("full", "windowed")
    }
    # f(4b) - 2 f(2b) + f(b) of p + q k + r k^2 is b q + 9 b^2 r: without a square it doubles with b
    assert second["full"][1] > 3 * second["full"][0]
    assert second["windowed"][1] == pytest.approx(2 * second["windowed"][0], rel=0.2)


@pytest.mark.parametrize(("square", "holds"), [(0.0, True), (1e-3, False)])
def test_growth_is_judged_by_the_square(tmp_path, square, holds):
    directory = RunDirectory(tmp_path)
    growth = [
        {
            "n": 20.0,
            "k": float(k),
            "c": 3.0,
            "d": 8.0,
            "way": way,
            "tokens": float(t),
            "operations": 7.0 + t + bent * t**2,
        }
        for k, t in ((10, 100), (20, 150), (50, 300), (100, 600))
        for way, bent in (("windowed", square), ("full", 1e-2))
    ]
    directory.write_table("growth", growth)
    (claim,) = [each for each in results.CLAIMS if "linearly" in each.statement]
    assert claim.evaluate(directory, {}, ())["holds"] is holds
