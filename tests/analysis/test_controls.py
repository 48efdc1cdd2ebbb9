"""Claims on trained models are judged only where something was learned and training was at its end."""

import dataclasses

import pytest

from analysis.figures import controls
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import above
from analysis.report.blocks import repeats
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured

CLEAR, UNCLEAR = Estimate({0: 3.0, 1: 3.1, 2: 2.9}), Estimate({0: -1.0, 1: 1.9, 2: 1.0})


def judged(control, number=CLEAR, **more):
    claim = Claim("It is so.", own(), "above 0", lambda _: [above("number", number)], **more)
    return claim.evaluate(Tables(), {}, (Control("something was learned", lambda _: control),))


@pytest.mark.parametrize(
    ("learned_by", "outcome"),
    [(3.0, Outcome.HOLDS), (-1.0, Outcome.NOT_REACHED), (UNCLEAR, Outcome.NOT_REACHED)],
)
def test_no_verdict_without_a_control_that_is_clearly_met(learned_by, outcome):
    number = learned_by if isinstance(learned_by, Estimate) else exact(learned_by)
    claim = judged([above("learned", number)])
    assert claim["outcome"] == outcome
    assert (claim["holds"] is None) == (outcome is Outcome.NOT_REACHED)
    assert claim["measured"] == {"number": pytest.approx(3.0)}, "the numbers are shown all the same"
    if outcome is Outcome.NOT_REACHED:
        assert claim["why"].startswith("something was learned: learned is ")
    assert judged([above("learned", number)], controls=())["outcome"] == Outcome.HOLDS, "it needs no training"


def test_a_control_refuses_a_refutation_too():
    assert judged([], Estimate({0: -3.0, 1: -3.1, 2: -2.9}))["outcome"] == Outcome.DOES_NOT_HOLD
    assert judged([above("learned", exact(-1.0))], exact(-3.0))["outcome"] == Outcome.NOT_REACHED


def test_other_reasons_come_before_a_control():
    """With one seed nothing is judged, whatever was learned; and a control whose table is missing is not met."""
    assert judged([above("learned", exact(-1.0))], Estimate({0: 3.0}))["why"] == "one seed, no verdict"

    def lacks(directory):
        raise NotMeasured("no such table")

    claim = Claim("It is so.", own(), "above 0", lambda _: [above("number", CLEAR)])
    verdict = claim.evaluate(Tables(), {}, (Control("something was learned", lacks),))
    assert verdict["why"] == "something was learned: not measured (no such table)"


def per_seed(learned, number=CLEAR, **more):
    claim = Claim("It is so.", own(), "above 0", lambda _: [above("number", number)], **more)
    control = Control("something was learned", lambda _: [above("learned", learned)], per_seed=True)
    return claim, claim.evaluate(Tables(), {}, (control,)), claim.seeds_lacking(Tables(), 0.95, (control,))


def test_a_claim_is_judged_on_the_seeds_that_learned():
    """One that is stuck turns the mean of four; it is not in the numbers, and is counted."""
    number = Estimate({0: 3.0, 1: 3.1, 2: 2.9, 3: -20.0})
    stuck = Estimate({0: 1.0, 1: 2.0, 2: 1.0, 3: -0.1})
    assert judged([above("learned", stuck)], number)["outcome"] == Outcome.NOT_REACHED
    _, verdict, lacking = per_seed(stuck, number)
    assert verdict["outcome"] == Outcome.HOLDS
    assert verdict["measured"] == {"number": pytest.approx(3.0)}
    assert (repeats(verdict), lacking) == ("3 of 4 seeds", 0)
    _, whole, _ = per_seed(Estimate(dict.fromkeys(range(4), 1.0)), number)
    assert (whole["outcome"], repeats(whole)) == (Outcome.UNDECIDED, "4 seeds")


def test_seeds_that_learned_are_not_enough():
    _, verdict, _ = per_seed(Estimate({0: 1.0, 1: -1.0, 2: -1.0}))
    assert verdict["outcome"] == Outcome.NOT_REACHED
    assert verdict["why"] == "something was learned: of 3 seeds 1 did"
    assert verdict["measured"] == {"number": pytest.approx(3.0)}
    _, other, _ = per_seed(Estimate({0: 1.0, 7: 1.0, 8: 1.0}))
    assert other["outcome"] == Outcome.NOT_REACHED, "two learned, and one of them alone is among the numbers"
    _, verdict, _ = per_seed(Estimate({0: -1.0, 1: -1.0}), exact(1.0))
    assert verdict["outcome"] == Outcome.NOT_REACHED, "an identity, but of models that learned nothing"


def curves(by_step, seeds=3, places=("a",)):
    return [
        {"part": place, "step": float(step), "seed": float(seed), "loss.decoder": loss + 0.001 * seed}
        for place in places
        for step, loss in by_step.items()
        for seed in range(seeds)
    ]


@pytest.mark.parametrize(
    ("by_step", "shares", "is_flat"),
    [
        ({0: 2.0, 10: 1.5, 50: 1.02, 100: 1.0}, 0.02, True),
        ({0: 2.0, 10: 1.9, 50: 1.5, 100: 1.0}, 0.5, False),
        ({0: 2.0, 40: 1.02, 90: 1.0, 100: 1.0}, 0.02, True),  # the evaluation that is nearest to the half
        ({0: 2.0, 50: 1.0, 100: 1.2}, -0.25, False),  # it grew
    ],
)
def test_a_training_is_flat_when_its_second_half_gains_little(by_step, shares, is_flat):
    conditions = controls.flat("loss.decoder").judge(Tables(curves=curves(by_step, places=("a", "b"))))
    assert [each.number.mean for each in conditions] == [pytest.approx(shares)] * 2
    assert [each.met for each in conditions] == [is_flat] * 2
    (one,) = controls.flat("loss.decoder", part="b").judge(Tables(curves=curves(by_step, places=("a", "b"))))
    assert one.name.startswith("b: ")


def test_a_training_loss_has_no_value_before_the_first_step():
    rows = curves({0: float("nan"), 10: 2.0, 50: 1.02, 100: 1.0})
    (condition,) = controls.flat("loss.decoder").judge(Tables(curves=rows))
    assert condition.number.mean == pytest.approx(0.02)
    with pytest.raises(NotMeasured, match="fewer than three"):
        controls.flat("loss.decoder").judge(Tables(curves=curves({0: float("nan"), 50: 1.1, 100: 1.0})))


def test_what_was_changed_after_the_run_is_said_of_claim_and_controls():
    control = Control("learned", lambda _: [above("learned", CLEAR)])
    (each,) = controls.each_seed(control, date="1 May")
    claim = Claim("It is so.", own(), "above 0", lambda _: [], changed="2 May: above 0, not above 1")
    changed = claim.evaluate(Tables(), {}, (each,))["changed"]
    assert changed == "2 May: above 0, not above 1; 1 May: controls ask each seed by itself"
    same = dataclasses.replace(claim, changed="", controls=(control, *controls.each_seed(control)))
    assert same.changes(Outcome.HOLDS) == ""
    nil = dataclasses.replace(same, delta=1.0, delta_set="3 May: delta 1")
    assert [nil.changes(outcome) for outcome in (Outcome.HOLDS, Outcome.NO_DIFFERENCE)] == ["", "3 May: delta 1"]


def test_without_a_seed_that_learned_no_number_of_seeds_is_known():
    _, verdict, lacking = per_seed(Estimate({0: -1.0, 1: -1.0, 2: -1.0}))
    assert (verdict["outcome"], lacking) == (Outcome.NOT_REACHED, None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_seed_that_did_not_learn_may_have_no_finite_number(bad):
    _, verdict, lacking = per_seed(Estimate({0: 1.0, 1: 1.0, 2: 1.0, 3: -1.0}), Estimate({**CLEAR.by_seed, 3: bad}))
    assert (verdict["outcome"], repeats(verdict), lacking) == (Outcome.HOLDS, "3 of 4 seeds", 0)
    _, verdict, _ = per_seed(Estimate(dict.fromkeys(range(4), 1.0)), Estimate({**CLEAR.by_seed, 3: bad}))
    assert verdict["outcome"] == Outcome.NOT_MEASURED


def test_a_control_of_seeds_that_sees_nothing_is_not_met():
    claim = Claim("It is so.", own(), "above 0", lambda _: [above("number", CLEAR)])
    controls = (Control("something was learned", lambda _: [], per_seed=True),)
    assert claim.evaluate(Tables(), {}, controls)["outcome"] == Outcome.NOT_REACHED
    assert claim.seeds_lacking(Tables(), 0.95, controls) is None


@pytest.mark.parametrize(("flat", "outcome"), [(1.0, Outcome.NO_DIFFERENCE), (-1.0, Outcome.NOT_REACHED)])
def test_no_difference_asks_whether_more_training_would_help(flat, outcome):
    further = (Control("training was at its end", lambda _: [above("flat", exact(flat))]),)
    alike = Estimate({0: 0.1, 1: -0.1, 2: 0.0})
    assert judged([], alike, delta=1.0, refutation_controls=further)["outcome"] == outcome
