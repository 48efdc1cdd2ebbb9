"""Quantities and bounds on them, against the same sums by hand."""

import dataclasses
import math
from types import SimpleNamespace

import numpy as np
import pytest

from analysis.figures.labels import main_names
from analysis.figures.measures import of_model_or_models
from analysis.report import template
from analysis.results import declared
from analysis.results.column import FIRST, HALF, LAST, Column, Headline, nearest, up_to
from analysis.results.quantity import least
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured

SEEDS = 5
NAMES = ("linear", "degree 2", "degree 16")
score = Column("scores", "score", "score", "How good it is.", "name", "nats")
in_layers = Column("layers", "score", "score", "How good it is.", "name")
other = Column("scores", "other", "other score", "How good it is otherwise.", "name")


@pytest.fixture
def values() -> np.ndarray:
    """(name, seed, layer): by seed far apart, so that pairing shows in the errors."""
    random = np.random.default_rng(0)
    return 10 * random.normal(size=(1, SEEDS, 1)) + random.normal(size=(len(NAMES), SEEDS, 2))


@pytest.fixture
def tables(values) -> Tables:
    rows = [
        {"seed": float(seed), "name": name, "score": values[i, seed, 0], "other": 2 * values[i, seed, 1]}
        for i, name in enumerate(NAMES)
        for seed in range(SEEDS)
    ]
    layers = [
        {"seed": float(seed), "name": name, "layer": layer + 1.0, "score": values[i, seed, layer]}
        for i, name in enumerate(NAMES)
        for seed in range(SEEDS)
        for layer in range(2)
    ]
    return Tables(scores=rows, layers=layers)


def check(number, by_seed):
    assert number.mean == pytest.approx(np.mean(by_seed))
    assert number.stderr == pytest.approx(np.std(by_seed, ddof=1) / math.sqrt(SEEDS))


def test_a_difference_is_paired_within_seeds(tables, values):
    (condition,) = (score["linear"] - score["degree 2"] < 0)(tables)
    check(condition.number, values[0, :, 0] - values[1, :, 0])
    assert (condition.name, condition.low, condition.high) == ("score (linear - degree 2)", -math.inf, 0)


def test_distances_from_the_mean_of_all_places(tables, values):
    at_layers = in_layers.along("layer", "linear")
    middle = values[0].mean(axis=1)
    for condition, layer in zip((at_layers.from_mean() > 0)(tables), (0, 1), strict=True):
        check(condition.number, values[0, :, layer] / middle - 1)
    unit = in_layers.along("layer", "degree 2")
    for condition, layer in zip((at_layers.from_mean(unit) > 0)(tables), (0, 1), strict=True):
        check(condition.number, (values[0, :, layer] - middle) / values[1].mean(axis=1))
    with pytest.raises(NotMeasured, match="there is one place"):
        (score.along("name", "linear").from_mean() > 0)(tables)


def test_the_value_nearest_to_a_share_of_the_last():
    assert nearest(0.25).choose([0.0, 2.0, 5.0, 10.0]) == [2.0]
    assert nearest(0.0).choose([0.0, 2.0, 10.0]) == [2.0], "the first does not count"
    assert nearest(1.0).choose([0.0]) == []


def test_a_ratio_of_two_columns(tables, values):
    (condition,) = (score["linear"] / other["linear"]).between(0.1, 2)(tables)
    check(condition.number, values[0, :, 0] / (2 * values[0, :, 1]))
    assert condition.name == "score (linear) / other score (linear)"


def test_a_pattern_has_places_in_the_order_of_their_numbers(tables, values):
    steps, last = score["degree *"].steps() > 0, score["degree *"].last().within(1)
    (condition,) = steps(tables)
    check(condition.number, values[2, :, 0] - values[1, :, 0])
    assert condition.name == "score (degree 16 - degree 2)"
    (condition,) = last(tables)
    check(condition.number, values[2, :, 0])
    assert (condition.name, condition.low, condition.high) == ("score (degree 16)", -1, 1)


def test_another_column_gives_places(tables, values):
    by_layer = (in_layers.along("layer", "linear") - in_layers.along("layer", "degree 2") > 0)(tables)
    assert [each.name for each in by_layer] == [f"score (linear - degree 2), layer {layer}" for layer in (1, 2)]
    for layer, condition in enumerate(by_layer):
        check(condition.number, values[0, :, layer] - values[1, :, layer])


def test_rows_may_be_chosen_by_further_columns(tables, values):
    (condition,) = (in_layers.where(layer=2.0)["linear"] - in_layers.where(layer=1.0)["linear"] > 0)(tables)
    check(condition.number, values[0, :, 1] - values[0, :, 0])
    assert condition.name == "score (linear, layer 2 - layer 1)"
    everywhere = in_layers.along(("name", "layer")).numbers(tables)
    assert [*everywhere] == [f"{name}, layer {layer}" for name in sorted(NAMES) for layer in (1, 2)]
    check(everywhere["linear, layer 2"], values[0, :, 1])


def test_the_ends_of_a_line_are_compared(tables, values):
    """Of single places, which are called otherwise."""
    line = in_layers.along("layer", "linear")
    bounds = line.last() / line.first() > 1
    (condition,) = bounds(tables)
    check(condition.number, values[0, :, 1] / values[0, :, 0])
    assert condition.name == "score (linear), layer 2 / layer 1"
    assert str(bounds) == "score (linear), at the last value of layer / at the first value of layer, is above 1"


def test_one_place_is_compared_with_all_others(tables, values):
    every = in_layers.along(("name", "layer"))
    bounds = every.first() - every.after(4) > 0
    one, two = bounds(tables)  # the names are sorted: first "degree 16", last "linear"
    check(one.number, values[2, :, 0] - values[0, :, 0])
    check(two.number, values[2, :, 0] - values[0, :, 1])
    assert two.name == "score, degree 16, layer 1 - linear, layer 2"
    assert str(bounds) == "score, at the first value of name and layer - after the first 4, is above 0"
    with pytest.raises(NotMeasured, match="too few places"):
        every.after(6).numbers(tables)


def test_a_mean_over_places_is_within_seeds(tables, values):
    bounds = in_layers.along("layer", "linear").mean() > 0
    (condition,) = bounds(tables)
    check(condition.number, values[0].mean(axis=1))
    assert str(bounds) == "score (linear), at every value of layer, in the mean, is above 0"


def test_rows_without_a_number_may_be_left_out(tables, values):
    gaps = [row | ({"score": math.nan} if row["seed"] == 0 else {}) for row in tables.read_table("scores")]
    nothing = [row | {"score": ""} for row in gaps]
    sparse = dataclasses.replace(score, sparse=True)
    (number,) = sparse["linear"].numbers(Tables(scores=gaps)).values()
    assert [*number.by_seed.values()] == [*values[0, 1:, 0]]
    with pytest.raises(NotMeasured, match="score has no value"):
        sparse["linear"].numbers(Tables(scores=nothing))
    with pytest.raises(NotMeasured, match="score, seed 0 or seed 1 has no value"):
        sparse.where(seed=(0, 1))["linear"].numbers(Tables(scores=nothing))


def test_a_choice_among_places_says_which_there_are(tables, values):
    """Without it `LAST` would choose every layer, as the last one among the rows of itself."""
    (number,) = in_layers.where(layer=LAST).along("layer", "linear").numbers(tables).values()
    check(number, values[0, :, 1])
    assert {*in_layers.where(layer=up_to(1)).along("layer", "linear").numbers(tables)} == {"layer 1"}


def test_the_error_of_a_number_may_be_another_than_over_seeds():
    rows = [{"seed": 0.0, "name": "linear", "score": 0.5, "score.stderr": 0.1}]
    of_model = Column("scores", "score", "score", "How good it is.", "name", estimate_of=of_model_or_models)
    (number,) = of_model["linear"].numbers(Tables(scores=rows)).values()
    assert (number.mean, number.stderr, number.exact) == (0.5, 0.1, True)
    numbers = declared.numbers(SimpleNamespace(HEADLINES=(of_model,)), {"scores": rows})
    assert numbers == {"score.linear": 0.5, "score.linear.stderr": 0.1}
    (number,) = of_model["linear"].numbers(Tables(scores=[*rows, rows[0] | {"seed": 1.0, "score": 0.7}])).values()
    assert number.stderr == pytest.approx(0.1)  # from the spread, .2 / sqrt(2) / sqrt(2)


def test_repetitions_may_be_other_than_seeds():
    rows = [{"round": turn, "name": "linear", "score": value} for turn, value in enumerate((1.0, 2.0, 6.0))]
    of_rounds = Column("scores", "score", "score", "How good it is.", "name", repeat="round")
    (number,) = of_rounds["linear"].numbers(Tables(scores=rows)).values()
    assert [*number.by_seed.values()] == [1.0, 2.0, 6.0]
    with pytest.raises(NotMeasured, match="several rows of one round"):
        of_rounds["linear"].numbers(Tables(scores=[*rows, rows[0]]))


@pytest.mark.parametrize(
    ("layer", "words", "index"),
    [(2, "layer 2", 1), (FIRST, "layer first", 0), (LAST, "layer last", 1), (HALF, "layer half of the last", 0),
     (up_to(1.5), "layer up to 1.5", 0)],
)  # fmt: skip
def test_rows_are_those_with_fixed_values(layer, words, index, tables, values):
    (condition,) = (in_layers.where(layer=layer)["linear"] > 0)(tables)
    check(condition.number, values[0, :, index])
    assert condition.name == f"score ({words}, linear)"


def test_a_choice_is_made_among_the_rows_of_each_number(tables):
    rows = [{"seed": 0.0, "name": name, "step": step, "score": step} for name, step in (("a", 1.0), ("b", 2.0))]
    last = score.where(step=LAST)
    assert [each.mean for each in last["*"].numbers(Tables(scores=rows)).values()] == [1, 2]
    assert [each.mean for each in last.along("name").numbers(Tables(scores=rows)).values()] == [1, 2]


def test_any_of_several_values_counts(tables, values):
    names = in_layers.where(name=("linear", "degree 2"), layer=1.0).along("name").numbers(tables)
    assert [*names] == ["degree 2", "linear"]
    alone = in_layers.where(name=("degree 16", "no name"), layer=2.0).along("layer").numbers(tables)
    check(alone["layer 2"], values[2, :, 1])
    with pytest.raises(NotMeasured, match="there is no one or two"):
        in_layers.where(name=("one", "two")).along("layer").numbers(tables)


def test_an_exact_number_is_the_worst_of_its_rows(tables, values):
    worst = Column("layers", "score", "score", "How good it is.", "name", worst=max)
    (condition,) = (worst["linear"] < 0)(tables)
    assert (condition.number.mean, condition.number.stderr) == (values[0].max(), 0)
    without_seeds = Tables(layers=[{"name": "linear", "score": 3.0}, {"name": "linear", "score": 5.0}])
    assert worst["linear"].numbers(without_seeds)[""].mean == 5


def test_functions_of_quantities_are_within_seeds(tables, values):
    both = least(score["linear"], other["linear"]).numbers(tables)[""]
    check(both, np.minimum(values[0, :, 0], 2 * values[0, :, 1]))
    (ratio,) = ((score["linear"] / other["linear"] - 1).within(0.1))(tables)
    check(ratio.number, values[0, :, 0] / (2 * values[0, :, 1]) - 1)
    assert ratio.name == "score (linear) / other score (linear) - 1"
    check(
        score["linear"].map("2 to the {}", lambda x: 2**x).log10().numbers(tables)[""], np.log10(2.0) * values[0, :, 0]
    )
    best = in_layers.along("layer", "linear").over(max, "the best")
    check(best.numbers(tables)[""], values[0].max(axis=1))
    assert str(best < 3) == "score (the best of linear) is below 3"


@pytest.mark.parametrize(
    "quantity", [score["nothing"], score["no *"], score["linear*"].steps(), Column("x", "", "", "", "")["y"],
                 in_layers.along("layer", "linear") - score["degree *"],
                 score.where(name="linear")["degree 2"], in_layers.where(layer=up_to(0.5))["linear"],
                 in_layers["linear"]]
)  # fmt: skip
def test_what_the_tables_lack_is_not_measured(quantity, tables):
    with pytest.raises(NotMeasured):
        quantity.numbers(tables)


def test_the_criterion_says_what_the_judge_does(tables):
    both = score["linear"].within(0.5) & (other["degree *"] > 0.25) & (score["linear"] - score["degree 2"] < 1e-3)
    text = "score (linear) is between -0.5 and 0.5, and other score (degree *) is above 0.25, and "
    assert str(both) == text + "score (linear - degree 2) is below 0.001"
    assert [(each.low, each.high) for each in both(tables)] == [
        (-0.5, 0.5), (0.25, math.inf), (0.25, math.inf), (-math.inf, 1e-3)]  # fmt: skip
    assert declared.claim("It is so.", "derived here", both, "so far").criterion == f"{both}; so far"


def test_headline_numbers_are_means_over_seeds(tables, values):
    numbers = declared.numbers(SimpleNamespace(HEADLINES=(score,)), tables.tables)
    assert numbers.keys() == {f"score.{name}{end}" for name in NAMES for end in ("", ".stderr")}
    assert numbers["score.linear"] == pytest.approx(values[0, :, 0].mean())
    assert numbers["score.linear.stderr"] == pytest.approx(values[0, :, 0].std(ddof=1) / math.sqrt(SEEDS))


def test_a_headline_number_may_be_computed(tables, values):
    ratio = Headline("ratio", "ratio", "Of two.", score["linear"] / score["degree 2"])
    lacking = Headline("lacking", "lacking", "Of what is not there.", score["nothing"])
    numbers = declared.numbers(SimpleNamespace(HEADLINES=(ratio, lacking)), tables.tables)
    assert numbers.keys() == {"ratio", "ratio.stderr"}
    assert numbers["ratio"] == pytest.approx((values[0, :, 0] / values[1, :, 0]).mean())


def test_a_clause_without_its_number_is_left_out():
    results = SimpleNamespace(ANSWER=("it is {score.linear} and {score.degree 2}", "degrees give {score.degree *}"))
    numbers = {"score.degree 2": 0.25, "score.degree 16": 4.0}
    summary = {"kind": "x", "settings": {"seeds": "2"}, "claims": [], "numbers": numbers}
    assert template.answer_of_run(results, summary) == "Degrees give 0.25 (degree 2) and 4 (degree 16); 2 seeds."
    summary["numbers"]["score.linear"] = 3.0
    assert template.answer_of_run(results, summary).startswith("It is 3 and 0.25. Degrees")
    assert template.answer_of_run(results, summary | {"numbers": {}}) == ""


def test_the_first_clause_is_the_answer_of_a_sweep():
    results = SimpleNamespace(ANSWER=("it is {score.linear} and {score.degree *}", "not this {other.linear}"))
    points = {str(i): {"kind": "x", "settings": {}, "claims": [], "numbers": {
        "score.linear": i, "score.degree 2": 2 * i, "other.linear": 0}} for i in (1.0, 2.0)}  # fmt: skip
    answer = template.answer_of_points(results, {"points": points, "claims": []})
    assert [text in answer for text in ("is 1 (1.0) to 2 (2.0)", "is 2 (1.0) to 4 (2.0)", "other")] == [1, 1, 0]


def test_each_value_may_have_a_column_of_its_own(values):
    rows = [
        {
            "seed": float(seed),
            "step": step + 1.0,
            **{f"loss.{name}": values[i, seed, step] for i, name in enumerate(NAMES)},
        }
        for seed in range(SEEDS)
        for step in range(2)
    ]
    loss, tables = Column("curves", "loss", "loss", "It is wrong."), Tables(curves=rows)
    last = (loss.where(step=LAST)["linear"] - loss.where(step=LAST)["degree 2"]).numbers(tables)
    check(last[""], values[0, :, 1] - values[1, :, 1])
    along = loss.along("step", "linear")
    assert along.name("step 2") == "loss (linear), step 2"
    check(along.numbers(tables)["step 2"], values[0, :, 1])


def test_a_clause_may_name_a_key():
    """Of a list its first value; what is neither a number nor a key leaves the clause out."""
    results = SimpleNamespace(ANSWER=("at {eta} there are {iterations} of them", "and {gain.nothing}", "{nothing}"))
    summary = {"kind": "deep_thinking", "settings": {"eta": "[0.1,0.2]", "seeds": "2"}, "claims": [], "numbers": {}}
    assert template.answer_of_run(results, summary) == "At 0.1 there are 15 of them; 2 seeds."


@pytest.mark.parametrize(("one", "expected"), [(0.0, 1.0), (0.5, math.inf)])
def test_beside_an_exact_predictor_another_one_alone_is_as_good(one, expected):
    rows = [{"seed": 0.0, "name": "mine", "score": one}, {"seed": 0.0, "name": "exact", "score": 0.0}]
    assert (score["mine"] / score["exact"]).numbers(Tables(scores=rows))[""].by_seed == {0.0: expected}


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("function", [max, min])
def test_nan_is_not_hidden_by_the_other_numbers(function, place):
    """Python's `max` and `min` return whichever comes first where one is NaN."""
    values = [1.0, 2.0, 3.0]
    values[place] = math.nan
    rows = [{"seed": 0.0, "name": "a", "layer": float(i), "score": value} for i, value in enumerate(values)]
    tables = Tables(layers=rows)
    assert math.isnan(in_layers.along("layer", "a").over(function, "the end").numbers(tables)[""].mean)
    worst = dataclasses.replace(in_layers, worst=function)
    assert math.isnan(worst["a"].numbers(tables)[""].mean)
    pair = least(in_layers.where(layer=float(place))["a"], in_layers.where(layer=float((place + 1) % 3))["a"])
    assert math.isnan(pair.numbers(tables)[""].mean)


def test_a_place_that_one_side_lacks_is_not_left_out(tables):
    """Layer 3 of one name alone would have vanished from what is asked 'at every value of layer'."""
    rows = [*tables.read_table("layers"), {"seed": 0.0, "name": "linear", "layer": 3.0, "score": -9.0}]
    line, other = (in_layers.along("layer", name) for name in ("linear", "degree 2"))
    for quantity in (line - other, other - line, least(line, other)):
        with pytest.raises(NotMeasured, match="layer 3"):
            quantity.numbers(Tables(layers=rows))


@pytest.mark.parametrize("value", [0.0, -1.0])
def test_what_is_not_positive_has_no_logarithm(value):
    rows = [{"seed": 0.0, "name": "a", "score": value}]
    with pytest.raises(NotMeasured, match="no logarithm"):
        score["a"].log10().numbers(Tables(scores=rows))


def test_a_table_with_one_row_per_seed_has_one_number():
    values = np.array([1.0, 2.0, 6.0, 7.0, 9.0])
    rows = {"means": [{"seed": float(seed), "mean": value} for seed, value in enumerate(values)]}
    mean = Column("means", "mean", "mean", "Their mean.")
    numbers = declared.numbers(SimpleNamespace(HEADLINES=(mean,)), rows)
    assert numbers == {"mean": values.mean(), "mean.stderr": pytest.approx(values.std(ddof=1) / math.sqrt(SEEDS))}
    (condition,) = (mean.number.within(0.1))(Tables(**rows))
    check(condition.number, values)
    assert condition.name == str(mean.number) == "mean"


def test_a_headline_may_be_called_as_a_statistic():
    assert main_names(["spread", "spread.stderr", "spread.spread", "loss.a", "loss.a.spread"]) == ["spread", "loss.a"]
