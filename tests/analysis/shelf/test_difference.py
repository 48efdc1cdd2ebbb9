"""Differences of numbers between two runs, against NumPy."""

import math
import re
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.figures.estimates import Estimate
from analysis.metrics.alignment import in_blocks
from analysis.shelf.difference import by_block, by_seed, difference, other_episodes
from analysis.shelf.item import read_all
from tests.analysis.shelf.runs import CLAIM, run, seeded
from tests.command_line import lab_here

NAME = "loss.transformer"


def items(folder):
    return {item.path.name: item for item in read_all(str(folder / "runs"))}


def sem(values):
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def between(folder, one, other):
    both = items(folder)
    return difference(both[one], both[other], NAME, by_seed(both[one]), by_seed(both[other]))


def two(folder, one, other):
    for name, values in (("one", one), ("other", other)):
        numbers, rows = seeded(values)
        run(folder, name, numbers=numbers, seeds=rows)


values = st.dictionaries(st.integers(0, 9), st.floats(0.1, 10.0), min_size=2, max_size=6)


@settings(max_examples=25, deadline=None)
@given(one=values, other=values)
def test_it_is_paired_over_the_seeds_that_both_have(tmp_path_factory, one, other):
    folder = tmp_path_factory.mktemp("pair")
    two(folder, one, other)
    result = between(folder, "one", "other")
    shared = sorted({*one} & {*other})
    if len(shared) > 1:
        apart = np.array([other[seed] - one[seed] for seed in shared])
        assert result.seeds == tuple(shared)
        assert result.mean == pytest.approx(apart.mean(), abs=1e-12)
        assert result.stderr == pytest.approx(apart.std(ddof=1) / math.sqrt(apart.size), abs=1e-12)
        assert result.how == f"paired over {len(shared)} seeds"
    else:
        errors = [np.std([*each.values()], ddof=1) / math.sqrt(len(each)) for each in (one, other)]
        assert result.how == "not paired"
        assert result.mean == pytest.approx(np.mean([*other.values()]) - np.mean([*one.values()]))
        assert result.stderr == pytest.approx(math.hypot(*errors))


def numbered(value: float, stderr: float) -> Any:
    """A run of which only one number is known, and its error."""
    return types.SimpleNamespace(numbers={NAME: value, f"{NAME}.stderr": stderr})


def test_one_seed_of_a_real_table_is_paired_by_its_test_rows():
    """By the cluster-robust error of the differences, as NumPy has it; only where both were tested on the same rows."""
    generator = np.random.default_rng(0)
    rows = generator.normal(0, 1.0, 40)
    residuals = [each - each.mean() for each in (rows, rows + generator.normal(0, 0.1, 40))]
    clusters = ({("test", float(row)): value / 40 for row, value in enumerate(each)} for each in residuals)
    one, other = (
        Estimate({0: mean}, sem(each), clusters=parts)
        for mean, each, parts in zip((1.0, 1.5), residuals, clusters, strict=True)
    )
    a, b = (numbered(each.mean, each.common) for each in (one, other))
    paired = difference(a, b, NAME, {NAME: one}, {NAME: other}, same_episodes=True)
    assert (paired.how, paired.mean) == ("paired over the test rows", 0.5)
    assert paired.stderr == pytest.approx(sem(residuals[1] - residuals[0]))
    unpaired = difference(a, b, NAME, {NAME: one}, {NAME: other})
    assert (unpaired.how, unpaired.stderr) == ("not paired", pytest.approx(math.hypot(one.common, other.common)))


def blocked(folder, name, losses, words=(), damage=None):
    """A run of one seed on synthetic episodes with these losses, and its blocks of episodes."""
    numbers = {NAME: losses.mean(), f"{NAME}.stderr": sem(losses), "mean.loss_difference": 1.0}
    numbers |= {"mean.loss_difference.stderr": 0.1}
    directory = run(folder, name, words, numbers, tables=["blocks"], reference="mean")
    parts = in_blocks(losses) if damage is None else [damage]
    directory.write_table("blocks", [{"block": block, NAME: part} for block, part in enumerate(parts)])
    return directory


def of_blocks(folder):
    one, other = (items(folder)[name] for name in ("one", "other"))
    same, blocks = not other_episodes(one, other), (by_block(one), by_block(other))
    return difference(one, other, NAME, {}, {}, same_episodes=same, blocks=blocks)


def test_one_seed_of_synthetic_episodes_is_paired_by_blocks_of_them(tmp_path):
    """Against the differences of the means of 20 blocks of 50 episodes; far below that of two independent tests."""
    generator = np.random.default_rng(0)
    episodes = generator.exponential(1.0, 1000)
    one, other = (episodes + shift + generator.normal(0, 0.05, 1000) for shift in (0.0, 0.1))
    blocked(tmp_path, "one", one)
    blocked(tmp_path, "other", other, ["train.steps=7"])
    result = of_blocks(tmp_path)
    by_hand = sem([np.mean((other - one)[place::20]) for place in range(20)])
    assert result.how == "paired over 20 blocks of episodes"
    assert result.mean == pytest.approx(np.mean(other - one))
    assert result.stderr == pytest.approx(by_hand, rel=1e-6)
    assert by_hand < math.hypot(sem(one), sem(other)) / 10
    done = lab_here("runs", "compare", "one", "other", cwd=tmp_path, COLUMNS="80")
    assert re.search(r"\d±\d.* paired over 20", done.stdout)
    assert re.search(r"\d±\d.* not paired", done.stdout), "another number has no blocks"


@pytest.mark.parametrize(("words", "damage"), [(["task.scale=2.0"], None), ([], "x"), ([], math.nan), ([], 0.5)])
def test_blocks_of_other_episodes_or_damaged_ones_pair_nothing(words, damage, tmp_path):
    losses = np.random.default_rng(0).exponential(1.0, 100)
    blocked(tmp_path, "one", losses)
    blocked(tmp_path, "other", losses, words, damage)
    result = of_blocks(tmp_path)
    assert (result.how, result.stderr) == ("not paired", pytest.approx(math.sqrt(2) * sem(losses)))


def test_numbers_that_are_equal_in_every_block_are_named_below(tmp_path):
    losses = np.random.default_rng(0).exponential(1.0, 100)
    for name in ("one", "other"):
        blocked(tmp_path, name, losses)
    done = lab_here("runs", "compare", "one", "other", cwd=tmp_path)
    assert "Equal in both: loss, trained Transformer." in done.stdout


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_no_number_is_broken_and_those_beside_the_reference_come_first(columns, tmp_path):
    small, errors = {"loss.ridge": 1.25e-8, NAME: 0.5}, {"loss.ridge.stderr": 3.1e-9, f"{NAME}.stderr": 0.012}
    beside = {"gradient_descent.sensitivity_cosine": 0.9985691, "gradient_descent.sensitivity_cosine.stderr": 1.2e-5}
    for name in ("one", "other"):
        run(tmp_path, name, numbers=small | errors | beside, reference="gradient_descent")
    done = lab_here("runs", "compare", "one", "other", cwd=tmp_path, COLUMNS=str(columns))
    places = [done.stdout.index(text) for text in ("0.500±0.012", "0.998569±0.000012", "1.2e-08±3.1e-09")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("words", "keys"),
    [(["train.steps=7", "model.num_layers=2", "seeds=5"], []), (["task.scale=2.0", "seed=1"], ["seed", "task.scale"])],
)
def test_settings_on_which_the_episodes_depend_are_named(tmp_path, words, keys):
    for name, more in (("one", []), ("other", words)):
        run(tmp_path, name, more)
    both = items(tmp_path)
    assert sorted(other_episodes(both["one"], both["other"])) == keys


def test_a_table_that_does_not_have_the_number_is_not_taken_for_it(tmp_path):
    """Its mean over the seeds must be the number, and its words those of the number's name."""
    numbers, rows = seeded({0: 1.0, 1: 2.0})
    run(tmp_path, "right", numbers=numbers, seeds=rows)
    run(tmp_path, "moved", numbers=numbers | {NAME: 1.51}, seeds=rows)
    run(tmp_path, "other", numbers={"loss.ridge": 1.5}, seeds=rows)
    run(tmp_path, "twice", numbers=numbers, seeds=[*rows, *rows])
    runs = items(tmp_path)
    assert dict(by_seed(runs["right"])[NAME].by_seed) == {0.0: 1.0, 1.0: 2.0}
    assert [by_seed(runs[name]) for name in ("moved", "other", "twice")] == [{}, {}, {}]


def test_the_error_that_all_seeds_share_is_added(tmp_path):
    for name in ("one", "other"):
        numbers, rows = seeded({0: 1.0, 1: 2.0})
        run(tmp_path, name, numbers=numbers, seeds=[row | {"loss.common": 0.3} for row in rows])
    assert between(tmp_path, "one", "other").stderr == pytest.approx(math.hypot(0.3, 0.3))


def test_one_seed_has_no_error_over_seeds(tmp_path):
    two(tmp_path, {0: 1.0}, {0: 2.0})
    result = between(tmp_path, "one", "other")
    assert (result.how, result.mean) == ("not paired", 1.0)
    assert result.stderr == pytest.approx(math.hypot(0.01, 0.01))


def test_the_comparison_in_the_terminal(tmp_path):
    one = {seed: 1.0 + seed for seed in range(4)}
    alike = CLAIM | {"statement": "Alike.", "holds": None, "outcome": "no difference"}
    for name, shift, words in (("a1", 0.0, ["train.steps=500"]), ("b2", 0.2, ["train.steps=2000", "run.force=true"])):
        numbers, rows = seeded({seed: value + shift * (1 + 0.1 * seed) for seed, value in one.items()})
        run(tmp_path, name, words, numbers | {"eta": 0.5 + shift}, rows, claims=[CLAIM, alike])
    done = lab_here("runs", "compare", "a", "runs/plain/b2", cwd=tmp_path)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["train.steps", "500", "2000"] in lines
    assert "run.force" not in done.stdout, "results do not depend on it"
    assert "A seed has the same test episodes in both." in done.stdout
    (loss,) = [" ".join(line) for line in lines if line[:1] == ["loss,"]]
    assert loss == "loss, trained Transformer 2.50±0.65 2.73±0.66 0.230±0.013"
    assert "differences paired over 4 seeds" in done.stdout
    assert ["eta", "of", "gradient", "descent", "0.5", "0.7", "0.2"] in lines
    assert ["It", "is", "one", "step.", "holds", "holds"] in lines
    assert ["Alike.", *2 * ["no", "difference"]] in lines


def test_a_kind_that_declares_its_results_says_where_a_number_comes_from(tmp_path):
    """Whatever else in its tables has the same mean."""
    for name, shift in (("one", 0.0), ("other", 0.25)):
        rows = [
            {"seed": seed, "rung": "softmax", "accuracy": 0.5 + shift * (1 + 0.1 * seed), "agreement": 1.0}
            for seed in range(3)
        ]
        directory = run(tmp_path, name, kind="attention_ladder", numbers={"accuracy.softmax": 0.5 + 1.1 * shift})
        directory.write_table("rungs", rows)
    both = items(tmp_path)
    result = difference(both["one"], both["other"], "accuracy.softmax", by_seed(both["one"]), by_seed(both["other"]))
    assert (result.mean, result.seeds) == (pytest.approx(0.275), (0, 1, 2))
    (both["one"].path / "rungs.csv").write_text("seed,rung\n0,softmax,1\n")
    assert by_seed(both["one"]) == {}
