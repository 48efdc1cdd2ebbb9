"""What a claim says of its numbers: the verdict, what would turn it, and why there is none."""

from types import SimpleNamespace

import numpy as np
import pytest

from analysis import figures
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import above
from analysis.results.column import Column
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from lab.config.base import Base
from lab.config.kinds import KINDS, Kind
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


def outcome_of(values, delta, bound=0.0):
    number = Estimate(dict(enumerate(values)))
    claim = Claim("It helps.", own(), "above", lambda _: [above("gain", number, bound)], controls=(), delta=delta)
    return claim.evaluate(Tables(), {})["outcome"]


@pytest.mark.parametrize("truth", [-1.0, 1.0])
def test_no_difference_is_said_wrongly_in_one_case_of_forty(truth):
    """A gain of just the distance that matters, either way: the end of a 95% interval is on the wrong side of it in
    2.5% of simulated samples. 2,000 samples of 12 seeds: three standard errors are 1.0%."""
    outcomes = [outcome_of(values, 1.0) for values in np.random.default_rng(0).normal(truth, 1.0, size=(2000, 12))]
    said = outcomes.count(Outcome.NO_DIFFERENCE) / 2000
    assert said < 0.025 + 0.01
    wrong = Outcome.HOLDS if truth < 0 else Outcome.DOES_NOT_HOLD
    assert wrong not in outcomes


def test_a_clear_verdict_comes_before_no_difference():
    assert outcome_of([0.1, 0.11, 0.09], 1.0) == Outcome.HOLDS
    assert outcome_of([-0.1, -0.11, -0.09], 1.0) == Outcome.DOES_NOT_HOLD
    assert outcome_of([0.1, -0.1, 0.05], 1.0) == Outcome.NO_DIFFERENCE
    assert outcome_of([0.1, -0.1, 0.05], 0.1) == outcome_of([0.1, -0.1, 0.05], None) == Outcome.UNDECIDED
    assert outcome_of([5.1, 4.9, 5.05], 1.0, bound=5.0) == Outcome.NO_DIFFERENCE


@pytest.mark.parametrize("own", [False, True])
def test_the_claims_of_a_kinds_results_are_those_of_its_figure(own, monkeypatch):
    """Without a line in the figure's module that repeats them; if that has claims, these count."""
    claim = Claim("It is so.", "a test", "above 0", lambda _: [above("it", exact(1.0))])
    results, mine = SimpleNamespace(CLAIMS=(claim,), CONTROLS=("a control",)), {"CLAIMS": ()} if own else {}
    parts = {"results": results, "figure": SimpleNamespace(**mine), "figures.other": SimpleNamespace()}
    kind = Kind("made_up", Base, parts.__getitem__, {"made_up": "figure", "other": "figures.other"}, frozenset(parts))
    monkeypatch.setitem(KINDS, "made_up", kind)
    assert figures.claims_of("made_up") == (((), ()) if own else ((claim,), ("a control",)))
    assert figures.claims_of("other") == ((), ())
    verdicts = figures.evaluate_claims("other", Tables(), {}) + figures.unmeasured_claims("made_up", "it failed")
    assert [each["why"] for each in verdicts] == ([] if own else ["it failed"])


def test_seeds_that_were_added_for_another_claim_are_said_where_they_would_turn_a_verdict(directory, monkeypatch):
    """A claim that its own seeds decide keeps its verdict; a reader of the further ones would find another."""
    gain, loss = (Column("numbers", name, name, "A number.").number for name in ("gain", "loss"))
    claims = [Claim(f"It is {quantity}.", "a test", "above 0", quantity > 0, controls=()) for quantity in (gain, loss)]
    monkeypatch.setitem(figures.FIGURES, "made_up", SimpleNamespace(CLAIMS=claims))
    directory.write_table("numbers", [{"seed": seed, "gain": 1 + 0.1 * seed, "loss": 5 + seed} for seed in range(3)])
    (directory.path / "further").mkdir()
    directory.write_table("further/numbers", [{"seed": seed, "gain": 7 - 3 * seed, "loss": seed} for seed in (3, 4)])
    looked = {"claim": "It is another one.", "outcome": "holds", "last_seed": 4, "looks": 1, "confidence": 0.975}
    directory.write_table("decided", [looked])
    gains, stays = figures.evaluate_claims("made_up", directory, {})
    also = ", with the seeds added for other claims, 5 in all: undecided"
    assert (gains["outcome"], gains["seeds"], gains["repeats"]) == ("holds", 3, f"seeds{also}")
    assert gains["otherwise"].endswith(f"it is 1.1 ± 0.058{also}")
    assert stays["repeats"] == "seeds"
    assert stays["otherwise"].endswith("± 0.58")
