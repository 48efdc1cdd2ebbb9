"""Programs that are timed in turns: their order, the rows of a round, and shares of the highest rates."""

from types import SimpleNamespace

import pytest

from analysis.results.timing import ROUND, STEPS
from trainers.study import Part
from trainers.timing.study import CEILINGS, Program, TurnsStudy, of_calls, of_steps


class Names(TurnsStudy):
    """Programs that note their name, of two cases."""

    SHARES = True

    def __init__(self):
        self.settings = SimpleNamespace(rounds=3, seconds=1e-9)
        self.tables = {CEILINGS: [{"flops_per_second": 10.0, "bytes_per_second": 5.0}]}
        self.ran, self.made = [], []

    def cases(self):
        return [{"size": 1}, {"size": 2}]

    def makers(self, case):
        def made(name):
            self.made.append((case["size"], name))
            return Program(lambda: self.ran.append(name), 4, operations=2.0, columns={"documents": 5})

        return {name: lambda name=name: made(name) for name in "abc"}


def test_every_second_round_is_reversed_and_a_case_is_compiled_once():
    study = Names()
    names, *parts = study.parts()
    assert names.name == CEILINGS
    assert [dict(part.columns) for part in parts] == [
        {"size": size, ROUND: turn} for size in (1, 2) for turn in range(3)
    ]
    rows = [row for part in parts for row in study.measure(part)[STEPS]]
    turns = [*"abc", *"cba", *"abc"]
    assert [row["program"] for row in rows] == turns * 2
    assert study.ran == [*"abc", *turns] * 2, "each is called once before it is timed"
    assert study.made == [(size, name) for size in (1, 2) for name in "abc"]


def test_shares_are_of_the_highest_rates():
    study = Names()
    for row in study.measure(Part({"size": 1, ROUND: 0}))[STEPS]:
        assert row["share_of_flops"] == pytest.approx(2.0 / (row["milliseconds"] / 1e3) / 10.0)
        assert row["share_of_bytes"] is None
        assert row["documents"] == 5


def test_a_program_has_as_many_steps_as_it_takes():
    taken = []
    program = of_calls(1e-9, lambda: taken.append(1), 16)
    before = len(taken)
    program.call()
    assert 16 * (len(taken) - before) == program.steps
    assert of_steps(1e-9, lambda steps: lambda: steps).call() == 1
