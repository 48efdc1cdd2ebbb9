"""Looks at the claims of a sweep, each of which has points of its own. Runs are made up: nothing is trained."""

import dataclasses
import pathlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import Estimate
from analysis.figures.evidence import above
from lab.runs.directory import RunDirectory
from trainers.decide import decide
from trainers.decide.seeds import Open, next_look

MEANS = {
    "near": 0.2,
    "far": 1.0,
    "second": 3.0,
}  # by part; seeds are off by one, in turn, `second` reversed
DISTANCE = 1.2  # of a paired difference's mean from its bound
FIRST = 4  # seeds of the sweep itself


def runs(first, count, parts=tuple(MEANS)):
    points = [SimpleNamespace(name=part) for part in parts]
    return SimpleNamespace(points=points, runs=points, first=first, count=count, words=[])


class Sweep:
    """A sweep of three parts with made-up numbers, and the looks that were taken."""

    def __init__(self):
        self.seeds = {part: set(range(FIRST)) for part in MEANS}
        self.looks, self.seconds, self.clock = [], 1.0, 0.0  # seconds that a seed takes, and those that have passed

    def add(self, extra):
        self.looks.append((sorted(point.name for point in extra.points), extra.first, extra.count))
        self.clock += self.expected(extra)

    def expected(self, extra):
        return self.seconds * extra.count * len(extra.runs)

    def keep(self, directory, added, before):
        self.seeds = {part: set(range(FIRST + before)) for part in MEANS}
        for extra in added:
            for point in extra.points:
                self.seeds[point.name] |= set(range(extra.first, extra.first + extra.count))

    def number(self, directory, part):
        last = getattr(directory, "last_seed", FIRST - 1)
        up = -1.0 if part == "second" else 1.0
        return Estimate({float(seed): MEANS[part] + up * (-1.0) ** seed for seed in self.seeds[part] if seed <= last})

    def claim(self, part, other=""):
        def judge(directory):
            number = self.number(directory, part)
            if not other:
                return [above(part, number)]
            return [above(part, number - self.number(directory, other), MEANS[part] - MEANS[other] - DISTANCE)]

        return Claim(f"{part}, {other}", "a test", "above zero", judge, points=part, other_points=other, controls=())


@pytest.fixture
def sweep(monkeypatch):
    made = Sweep()
    monkeypatch.setattr(decide, "further", lambda words, first, count: runs(first, count))
    monkeypatch.setattr(decide, "next_seed", lambda root: root.first + root.count)
    monkeypatch.setattr(decide, "run_only", made.add)
    monkeypatch.setattr(decide, "keep", made.keep)
    monkeypatch.setattr(decide, "Kept", lambda rows, commands: 0)  # seeds of earlier looks
    monkeypatch.setattr(decide.estimate, "expected", made.expected)
    monkeypatch.setattr(decide, "time", SimpleNamespace(monotonic=lambda: made.clock))

    def points_with(root, names):
        parts = [point.name for point in root.points if any(name in point.name for name in names)]
        return runs(root.first, root.count, parts)

    monkeypatch.setattr(decide, "points_with", points_with)
    return made


def decided(sweep, claims, monkeypatch, minutes=60.0):
    """Return {statement: row of decided.csv} after a call."""
    monkeypatch.setattr(decide.figures, "load", lambda name: SimpleNamespace(CLAIMS=claims))
    root: Any = runs(0, FIRST)  # as far as a sweep is looked at
    root.settings = SimpleNamespace(seed=0)
    directory = RunDirectory(pathlib.Path("nowhere"))
    table = {}
    monkeypatch.setattr(RunDirectory, "write_table", lambda _, name, rows: table.update({r["claim"]: r for r in rows}))
    decide.Decision(root, directory, "figure", minutes).run()
    return table


@pytest.mark.parametrize("before", [3, 6])
def test_looks_that_are_kept_count(sweep, monkeypatch, before):
    """The next look is on their seeds and new ones, and has wider intervals than they had."""
    claim = sweep.claim("near")
    row = {"claim": claim.statement, "looks": 2.0, "last_seed": FIRST + before - 1.0}
    monkeypatch.setattr(decide.extra_seeds, "looks", lambda _: {claim.statement: row})
    monkeypatch.setattr(decide, "Kept", SimpleNamespace(of=lambda *_: before))
    sweep.seeds = {part: set(range(FIRST + before)) for part in MEANS}
    after = decided(sweep, [claim], monkeypatch)[claim.statement]
    assert sweep.looks[0][1] == FIRST + before
    assert after["looks"] == 2 + len(sweep.looks)
    assert after["confidence"] == 1 - 0.05 / 2 ** (2 + len(sweep.looks))
    assert after["seeds"] == FIRST + before + sum(count for _, _, count in sweep.looks)


def test_no_difference_ends_the_looks(sweep, monkeypatch):
    claim = dataclasses.replace(sweep.claim("near"), delta=5 * MEANS["near"])
    rows = decided(sweep, [claim], monkeypatch)
    assert rows[claim.statement]["outcome"] == "no difference"
    assert len(sweep.looks) == rows[claim.statement]["looks"]


def test_a_claim_that_lacks_more_waits_for_the_others(sweep, monkeypatch):
    near, far = sweep.claim("near"), sweep.claim("far")
    rows = decided(sweep, [near, far], monkeypatch)
    assert [row["outcome"] for row in rows.values()] == ["holds", "holds"]
    waited = [parts for parts, _, _ in sweep.looks]
    assert waited == sorted(waited), "those for `far` come first"
    assert waited[0] == ["far"]
    assert waited[-1] == ["near"]
    for claim in (near, far):
        row = rows[claim.statement]
        looks = [count for parts, _, count in sweep.looks if claim.points in parts]
        assert row["looks"] == len(looks), "each claim's looks are counted by themselves"
        assert row["seeds"] == FIRST + sum(looks)
        again = claim.evaluate(decide.Further(pathlib.Path(), row["last_seed"]), {}, (), row["confidence"])
        assert again["outcome"] == "holds", "with seeds of later looks there, too"
        assert again["seeds"] == row["seeds"]


def test_the_same_command_takes_the_same_looks_and_a_budget_only_ends_them(sweep, monkeypatch):
    claims = [sweep.claim("near"), sweep.claim("far")]
    rows = decided(sweep, claims, monkeypatch)
    all_looks, sweep.looks = sweep.looks, []
    assert decided(sweep, claims, monkeypatch) == rows
    assert sweep.looks == all_looks
    sweep.looks, sweep.seconds = [], 10.0
    decided(sweep, claims, monkeypatch, minutes=(10 * all_looks[0][2] + 1) / 60)
    assert sweep.looks == all_looks[:1]


def test_other_points_that_a_claim_looks_at_get_seeds(sweep, monkeypatch):
    """A paired difference needs the seeds of both."""
    claim = sweep.claim("near", other="second")
    (row,) = decided(sweep, [claim], monkeypatch).values()
    assert all(parts == ["near", "second"] for parts, _, _ in sweep.looks)
    assert row["seeds"] == FIRST + sum(count for _, _, count in sweep.looks)


def test_seeds_that_do_not_enter_are_not_added_twice(sweep, monkeypatch):
    claim = dataclasses.replace(sweep.claim("far", other="second"), other_points="")  # seeds for one of the two alone
    (row,) = decided(sweep, [claim], monkeypatch).values()
    assert len(sweep.looks) == 1
    assert row["outcome"] == "undecided"


def test_a_look_is_for_the_claims_that_lack_the_fewest():
    def of(lacking, seeds):
        return Open(Claim("It is so.", "a test", "", lambda _: []), {"seeds": seeds}, lacking)

    few, other, many, never = of(6, 4), of(6, 3), of(400, 3), of(None, 3)
    assert next_look([many, few, never, other]) == ([few, other], 3), "none gets more than it has"
    assert next_look([many]) == ([many], 3)
    assert next_look([of(0, 6), of(1, 6)])[1] == 2, "one seed tells no spread"
    assert next_look([never]) == ([], 0)


def test_a_claim_that_waits_is_not_judged_on_the_seeds_of_others(sweep, monkeypatch):
    """Two claims on the same points: the nearer one is looked at when the other is decided, on all seeds."""
    far, near = (dataclasses.replace(sweep.claim(part), points="") for part in ("far", "near"))
    rows = decided(sweep, [far, near], monkeypatch)
    counts = [count for _, _, count in sweep.looks]
    assert rows[far.statement]["looks"] + rows[near.statement]["looks"] == len(counts)
    assert rows[near.statement]["seeds"] == FIRST + sum(counts)


def test_one_seed_lacks_another(sweep):
    claim = sweep.claim("near")
    sweep.seeds["near"] = {0}
    assert claim.seeds_lacking(RunDirectory(pathlib.Path()), 0.95) == 1


@pytest.mark.parametrize("mean", [0.05, -0.05, 0.0, 0.9])
def test_seeds_for_no_difference_are_counted(mean):
    """So many seeds of this mean and spread give a verdict, and one fewer does not."""
    values = np.array([1.0, -1.0, 1.0, -1.0])
    number = lambda count: Estimate(dict(enumerate(pattern(count) * np.std(values, ddof=1) + mean)))  # noqa: E731
    claim = lambda count: Claim("It helps.", "a test", "", lambda _: [above("", number(count))], delta=1.0)  # noqa: E731
    lacking = claim(4).seeds_lacking(RunDirectory(pathlib.Path()), 0.95)
    assert lacking
    for count, is_open in ((4 + lacking, False), (3 + lacking, True)):
        outcome = claim(count).evaluate(RunDirectory(pathlib.Path()), {})["outcome"]
        assert (outcome == Outcome.UNDECIDED) == is_open


def pattern(count):
    """Numbers of mean 0 and spread 1."""
    values = np.where(np.arange(count) % 2, 1.0, -1.0)
    return (values - values.mean()) / np.std(values, ddof=1)
