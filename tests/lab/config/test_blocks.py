"""The blocks of attention that are taken where `model.block` is null, against the kept times of all of them."""

import csv
import pathlib
import statistics

import pytest

from analysis.results.timing import cpu_milliseconds
from experiments.clicks.dti_cost import results as dti_cost
from lab.learners.stream_shape import block_of
from lab.runs.directory import RunDirectory

RESULTS = pathlib.Path(__file__).parents[3] / "docs" / "results"
NEAR = 1.05  # of the fastest; rounds are some percent apart


def steps(name):
    """The rows of training steps in a kept table of times."""
    return [row for row in csv.DictReader((RESULTS / name).read_text().splitlines()) if row["pass"] == "step"]


ROWS = steps("dti_cost_blocks.csv")


def kept(row):
    """The gains of a row of dti_cost in processor time, medians over rounds."""
    gains = dti_cost.gains(RunDirectory(RESULTS / "dti_cost"), row, cpu_milliseconds)
    return {way: statistics.median(gain.by_seed.values()) for way, gain in gains.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "-".join(row[name] for name in "nkcd"))
def test_what_is_taken_is_as_fast_as_the_fastest_that_was_timed(row):
    gains = {name.removeprefix("cpu."): float(gain) for name, gain in row.items() if name.startswith("cpu.")}
    check(gains, *(int(row[name]) for name in "nkc"))


def test_it_is_so_at_the_source_s_window():
    for row in dti_cost.steps(RunDirectory(RESULTS / "dti_cost")):
        check(kept(row), *(int(row.number(name)) for name in "nkc"))


def check(gains, n, k, c):
    taken = block_of(None, n, k, c - 1)
    way = "full" if taken is None else f"band_{n // taken}"
    assert gains[way] * NEAR >= max(gains.values())


def test_settings_and_small_cases():
    """A setting decides before the rule, a sliding window is one block, half an odd window is rounded up."""
    assert (block_of(0, 10, 50, 2), block_of(7, 10, 1, 2)) == (None, 7)
    assert all(block_of(None, n, 1, 20) is None for n in (1, 2, 10, 50))
    assert block_of(None, 21, 100, 11) == 11
