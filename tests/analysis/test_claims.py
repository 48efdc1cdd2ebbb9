"""What a claim says of its numbers: the verdict, what would turn it, and why there is none."""

import pytest

from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import above
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory


@pytest.fixture
def directory(tmp_path):
    return RunDirectory(tmp_path)


def test_the_verdict_and_what_would_turn_it(directory):
    def verdict(*numbers):
        judge = lambda directory: [above(f"number {i}", number, 1.0) for i, number in enumerate(numbers)]  # noqa: E731
        return Claim("It is so.", "nobody", "above 1", judge).evaluate(directory, {})

    clear, unclear = Estimate({0: 3.0, 1: 3.1, 2: 2.9}), Estimate({0: 0.5, 1: 1.9, 2: 1.0})
    holds = verdict(exact(5.0), clear)
    assert holds["holds"] is True
    assert holds["otherwise"] == "would not hold if number 0 were 1 or less; it is 5"
    assert holds["errors"] == {"number 1": pytest.approx(0.057735)}
    fails = verdict(clear, exact(0.25), exact(0.5), unclear)
    assert fails["holds"] is False, "one that is clearly not met decides"
    assert fails["otherwise"] == "would hold if number 1 were above 1; it is 0.25, and 1 more like it"
    undecided = verdict(clear, unclear)
    assert undecided["holds"] is None
    assert undecided["why"].startswith("number 1 is 1.133 ± 0.41, the bound is above 1")
    assert verdict(Estimate({0: 3.0}))["why"] == "one seed, no verdict"
    for bad in (float("nan"), float("inf")):
        for number in (exact(bad), Estimate({0: 3.0, 1: bad}), Estimate({0: 3.0, 1: 3.1}, common=bad)):
            assert verdict(clear, number)["holds"] is None
        assert verdict(Estimate({0: 3.0, 1: 3.1}, bad))["why"] == "the error of number 0 is no finite number"
    assert verdict(Estimate({0: 3.0}))["measured"] == {"number 0": 3.0}


def test_why_there_is_no_verdict(directory):
    def lacks(directory):
        raise NotMeasured("the lab has no such thing")

    claim = Claim("It is so.", "nobody", "above 1", lacks, points="data=wine")
    assert claim.evaluate(directory, {})["why"] == "the lab has no such thing"
    assert claim.evaluate(directory, {"data=wine, x": "no file"})["why"] == "no file"
    assert claim.evaluate(directory, {"data=bike, x": "no file"})["why"] == "the lab has no such thing"
