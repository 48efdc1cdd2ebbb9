"""The steps at which a training is evaluated."""

import itertools

import pytest

from trainers.stops import stops

SIZES = [*itertools.product((1, 2, 3, 7, 8, 100, 1000), (1, 2, 3, 16, 100, 250, 5000))]


@pytest.mark.parametrize("early", [0, 1, 4, 40])
def test_regular_and_early_stops(early):
    for steps, every in SIZES:
        check(steps, every, early)


def check(steps, every, early):
    found = stops(steps, every, early)
    assert found == sorted({*found})
    assert {0, steps, *range(0, steps, every)} <= {*found}
    assert found[0] == 0
    assert found[-1] == steps
    extra = [step for step in found if step % every and step != steps]
    assert len(extra) <= early
    assert all(0 < step < every for step in extra)
    assert all(later == 2 * sooner for sooner, later in itertools.pairwise(extra)), "geometric"
    assert not extra or {step % extra[0] for step in extra} == {0}
    assert early == 0 or every < 2 or steps < 2 or extra or steps <= max(1, every >> early), "some, where there is room"
    if extra and steps > every >= 2**early:
        assert len(extra) == early
        assert extra[-1] * 2 <= every < extra[-1] * 4, "up to about half of the way to the first regular one"


def test_none_are_added_where_none_are_wanted():
    assert stops(1000, 250, early=0) == [0, 250, 500, 750, 1000]
    assert stops(1000, 1) == list(range(1001))
