"""What answers are made of: numbers, verdicts and seeds in words; and the answer of any kind."""

import math

import pytest

from analysis.figures.labels import in_words
from analysis.report import generic, page, sentences
from analysis.report.blocks import Number
from analysis.report.values import seeds, setting
from lab.config.kinds import KINDS


def summary_of(numbers, claims=(), kind="recommend", **settings):
    return {"kind": kind, "experiment": kind, "numbers": numbers, "claims": [*claims], "settings": settings}


def claim(holds, why="", measured=(), errors=(), **more):
    return {"holds": holds, "why": why, "measured": dict(measured), "errors": dict(errors)} | more


def test_points_of_several_kinds_have_no_number_in_common():
    """The accuracy of one of two parts says nothing of the sweep."""
    points = {name: {"kind": name, "numbers": {"accuracy": 0.5}, "settings": {}} for name in ("dti", "recommend")}
    summary = {"kind": "comparison", "claims": [], "points": points}
    assert generic.answer_of_points(summary).startswith("2 parts done")
    points["recommend"]["kind"] = "dti"
    assert not generic.answer_of_points(summary).startswith("2 parts done")


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ([], ""),
        ([True], "the claim holds"),
        ([False], "the claim does not hold"),
        ([True, False, False], "1 of 3 claims hold"),
        ([True, False, None], "1 of 3 claims hold, 1 without a verdict"),
        ([None], "the claim has no verdict (one seed)"),
        ([None] * 4, "none of the 4 claims has a verdict (one seed)"),
    ],
)
def test_verdicts_are_counted(holds, expected):
    assert sentences.verdicts([claim(each, "" if each is not None else "one seed") for each in holds]) == expected


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("recommend", {"seeds": "7"}, 7),
        ("recommend", {}, 3),
        ("comparison", {"seeds": "5"}, 5),
        ("comparison", {}, 1),
        ("deep_thinking", {"seeds": "2"}, 2),
        ("softmax_dual", {"replaced.seeds": "2"}, 8),
        ("dual_form", {}, 1),
        ("of a user's own", {"seeds": "4"}, 4),
        ("of a user's own", {}, 1),
    ],
)
def test_the_number_of_seeds(kind, settings, expected):
    """That of the run itself, of what trains together, or of the learners that it starts from; by its key's default."""
    assert seeds(summary_of({}, kind=kind, **settings)) == expected


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        (Number(1791.4), "1791"),
        (Number(0.00012345), "0.000123"),
        (Number(-12.3456, 0.25), "-12.35 ± 0.25"),
        (Number(math.nan), "-"),
    ],
)
def test_a_number_in_words(measured, expected):
    assert measured.text() == expected


def test_a_setting_is_the_runs_or_its_default():
    assert setting(summary_of({}, kind="recommend", negatives="9"), "negatives") == "9"
    assert setting(summary_of({}, kind="recommend"), "negatives") == str(vars(KINDS["recommend"].schema())["negatives"])
    assert setting(summary_of({}, kind="recommend"), "nosuch.key") == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("half.none.eta=0.1", "half, none, eta=0.1"),
        ("half.none.eta=-0.25.stderr", "half, none, eta=-0.25, stderr"),
        ("error.decoder.8", "error, trained decoder, 8"),
        ("ndcg_10.random_8.20", "ndcg 10, random 8, 20"),
        ("loss.transformer.layers 2, damping 0·75", "loss, trained Transformer, layers 2, damping 0.75"),
    ],
)
def test_a_decimal_point_separates_no_words(name, expected):
    assert in_words(name) == expected


def test_the_answer_of_a_kind_that_nobody_knows():
    """The first number that is known, and what could be judged."""
    own = "of a user's own"
    one = summary_of({"empty": None, "bounces": 12.3456, "bounces.stderr": 0.25}, [claim(None, "why")], own, seeds="3")
    assert generic.answer(one) == "Bounces: 12.35 ± 0.25. The claim has no verdict (why); 3 seeds."
    assert generic.answer(summary_of({}, kind=own)) == "No number was measured; one seed."
    assert generic.answer(summary_of({"bounces": 2.0}, kind=own)) == "Bounces: 2; one seed, no ± known."
    sweep = summary_of({}, [claim(True), claim(False, point="a")], own) | {"failed": {"c": "it broke"}}
    points = {"a": one, "b": summary_of({"bounces": 2.0}, kind=own, seeds="2")}
    assert generic.answer(sweep | {"points": points}) == (
        "Over 2 points bounces is 2 (b) to 12.35 ± 0.25 (a). The claim holds; 2 to 3 seeds per point; 1 point failed."
    )
    assert generic.answer(sweep | {"points": {}}) == "No point is done: 1 point failed."


def test_the_answer_of_a_sweep_of_sweeps_has_that_of_its_first_part():
    run = summary_of({"y": 1.5, "y.stderr": 0.25}, kind="x")
    inner = summary_of({}, [claim(True)], "x") | {"points": {"a": run}, "failed": {}}
    outer = summary_of({}, [claim(True, point="fig: a")], "x") | {"points": {"fig": inner}, "failed": {}}
    assert generic.answer(outer) == (
        "1 part done. The claim holds; one seed, ± within it. "
        "fig: Over 1 point y is 1.50 ± 0.25 (a). The claim holds; one seed, ± within it."
    )


def kind_summary(kind, numbers, error, **settings):
    """A summary whose numbers have one error each."""
    errors = {f"{name}.stderr": error for name in numbers}
    return summary_of(numbers | errors, kind=kind, **settings)


@pytest.mark.parametrize(
    ("kind", "config", "expected"),
    [
        ("click_log", {"seeds": 1, "data": {}}, "of one seed, by resampling the users of the test."),
        ("click_log", {"seeds": 1, "data": {"x": 1}}, "of one seed, by resampling the users of the test."),
        ("click_log", {"seeds": 3, "data": {"x": 1}}, "over 3 seeds, and by resampling the users of the test,"),
        ("comparison", {"seeds": 3, "data": None}, "over 3 seeds."),
        ("decoder", {"seeds": 1}, "of one seed, over its test episodes."),
        ("of a user's own", {"seeds": 1}, "of one seed, over its test episodes."),
    ],
)  # fmt: skip
def test_the_page_says_over_what_errors_are(kind, config, expected):
    class Directory:
        def read_config(self):
            return config

    said = page.how_sure(Directory(), kind_summary(kind, {"x": 1.0}, 0.1))  # pyright: ignore[reportArgumentType]
    assert said.startswith("Errors (±) are standard errors ")
    assert expected in said
