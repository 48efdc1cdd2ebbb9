"""Rows of what was measured with every set of demonstrations, against counts by hand; and what the source printed."""

import itertools
import math

import numpy as np
import pytest

from analysis.report import generic
from analysis.results import declared
from experiments.demonstrations.icl_vs_finetune.results import (
    ACCURACY,
    ARM,
    CHOSEN,
    COUNT,
    LAYER,
    LEARNER,
    MEASURE,
    RATE,
    SEED,
    TRANSFER,
    VALUE,
)
from experiments.demonstrations.language_finetune import orders, results, rows
from experiments.demonstrations.language_finetune.results import ARMS, NUMBERS
from experiments.demonstrations.language_finetune.rows import FILE, published
from experiments.demonstrations.tables import printed

RANDOM = np.random.default_rng(3)
SEEDS, LAYERS, ROWS = [4, 5, 6], 2, 30
RATES = [0.1, 0.3, 0.1]


def answers(share):
    right = RANDOM.random(ROWS) < share
    return {"right": right, "loss": RANDOM.random(ROWS), "chosen": np.where(right, 1, 0)}


ZERO = answers(0.3)
SETS = {"zero_shot": [ZERO] * 3, "in_context": [answers(0.8) for _ in SEEDS]}
SETS |= {
    arm: [answers(0.6) | {m: RANDOM.normal(size=(LAYERS, ROWS)) for m in rows.BY_LAYER} for _ in SEEDS] for arm in ARMS
}
ALONE = [{"sim_am": RANDOM.normal(size=(LAYERS, ROWS))} for _ in SEEDS]
UNTRAINED = [{m: RANDOM.normal(size=(LAYERS, ROWS)) for m in rows.BY_LAYER} for _ in SEEDS]
RANDOMS = [{name: RANDOM.normal(size=(LAYERS, ROWS)) for name in ("sim_aou", "kendall")} for _ in SEEDS]


def found(made, measure, arm, seed, layer=None):
    (row,) = [row for row in made if [row[SEED], row[MEASURE], row[ARM], row[LAYER]] == [seed, measure, arm, layer]]
    return row


@pytest.fixture(scope="module")
def transfer():
    return rows.transfer_rows(SEEDS, SETS, ALONE, RANDOMS, UNTRAINED)


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("place", range(3))
def test_rec2ftp_is_a_share_of_counted_rows(place, arm, transfer):
    tuned, context = SETS[arm][place]["right"], SETS["in_context"][place]["right"]
    corrected = [x for x in range(ROWS) if tuned[x] and not ZERO["right"][x]]
    row = found(transfer, "rec2ftp", arm, SEEDS[place])
    assert row[COUNT] == len(corrected)
    assert row[VALUE] == pytest.approx(sum(context[corrected]) / len(corrected), abs=1e-12)


@pytest.mark.parametrize("place", range(3))
def test_its_lifts_are_differences_from_what_is_right_anyway_and_from_others(place, transfer):
    value = {
        arm: found(transfer, "rec2ftp", arm, SEEDS[place])[VALUE] for arm in ("fine_tuned", "other", "per_episode")
    }
    wrong = ~ZERO["right"]
    assert value["per_episode"] == pytest.approx(SETS["in_context"][place]["right"][wrong].mean(), abs=1e-12)
    for null in ("other", "per_episode"):
        lift = found(transfer, "lift", null, SEEDS[place])[VALUE]
        assert lift == pytest.approx(value["fine_tuned"] - value[null], abs=1e-12)


def test_differences_by_layer_are_paired(transfer):
    """The error that all sets share is that of differences row by row, which is not that of either number."""
    pairs = {("sim_aou", "difference"): "other", ("sim_aou_centred", "difference"): "other",
             ("kendall", "difference"): "other", ("kendall", "over_random"): "random",
             ("sim_aou", "over_random"): "random", ("sim_am", "rise"): "zero_shot"}  # fmt: skip
    pairs |= {(m, "over_causal"): "layer_causal" for m in rows.BY_LAYER}
    pairs |= {(m, "over_untrained"): "untrained" for m in rows.BY_LAYER}
    nulls = SETS | {"random": RANDOMS, "zero_shot": ALONE, "untrained": UNTRAINED}
    for (measure, name), null in pairs.items():
        apart = np.stack([a[measure] - b[measure] for a, b in zip(SETS["fine_tuned"], nulls[null], strict=True)])
        for layer in range(LAYERS):
            row = found(transfer, measure, name, 5, layer + 1)
            assert row[VALUE] == pytest.approx(apart[1, layer].mean(), abs=1e-12)
            common = apart[:, layer].mean(axis=0).std(ddof=1) / math.sqrt(ROWS)
            assert row[f"{VALUE}.common"] == pytest.approx(common, abs=1e-12)


def test_changed_answers_are_counted(transfer):
    for place, seed in enumerate(SEEDS):
        expected = np.mean(SETS["other"][place]["chosen"] != ZERO["chosen"])
        assert found(transfer, "changed", "other", seed)[VALUE] == pytest.approx(expected, abs=1e-12)


def test_accuracies_are_paired_with_zero_shot_and_with_in_context():
    made = rows.accuracy_rows(SEEDS, SETS, RATES)
    by_learner = {(row[SEED], row[LEARNER]): row for row in made}
    row, context = by_learner[5, "fine_tuned"], SETS["in_context"][1]["right"].mean()
    accuracy = SETS["fine_tuned"][1]["right"].mean()
    assert row["accuracy"] == pytest.approx(accuracy, abs=1e-12)
    assert row["gain"] == pytest.approx(accuracy - ZERO["right"].mean(), abs=1e-12)
    assert row["behind"] == pytest.approx(context - accuracy, abs=1e-12)
    assert row[RATE] == 0.3
    assert by_learner[5, "in_context"][RATE] is None
    assert {by_learner[seed, "zero_shot"]["accuracy"] for seed in SEEDS} == {ZERO["right"].mean()}
    assert by_learner[4, "zero_shot"]["gain.common"] == 0


def test_a_fine_tuning_that_diverged_has_no_value_and_spoils_no_other_set():
    lost = {name: np.full(np.shape(each), np.nan) for name, each in SETS["other"][0].items()}
    sets = SETS | {"other": [lost, *SETS["other"][1:]]}
    made = rows.transfer_rows(SEEDS, sets, ALONE, RANDOMS, UNTRAINED)
    whole = rows.transfer_rows(SEEDS, SETS, ALONE, RANDOMS, UNTRAINED)
    for measure, arm, layer in [("rec2ftp", "other", None), ("changed", "other", None), ("sim_aou", "other", 1),
                                ("lift", "other", None), ("kendall", "difference", 2)]:  # fmt: skip
        assert found(made, measure, arm, 4, layer)[VALUE] is None
        row = found(made, measure, arm, 5, layer)
        assert row[VALUE] == found(whole, measure, arm, 5, layer)[VALUE]
        assert math.isfinite(row[f"{VALUE}.common"])
    assert found(made, "lift", "per_episode", 4)[VALUE] is not None
    tables: dict[str, list[dict]] = {ACCURACY: rows.accuracy_rows(SEEDS, sets, RATES), TRANSFER: made}
    assert declared.numbers(results, tables)["sim_aou.other"] == pytest.approx(
        np.mean([SETS["other"][place]["sim_aou"].mean() for place in (1, 2)]), abs=1e-12
    )


def test_headline_errors_are_over_sets_and_rows():
    tables: dict[str, list[dict]] = {ACCURACY: rows.accuracy_rows(SEEDS, SETS, RATES),
              TRANSFER: rows.transfer_rows(SEEDS, SETS, ALONE, RANDOMS, UNTRAINED)}  # fmt: skip
    numbers = declared.numbers(results, tables)
    right = np.stack([each["right"] for each in SETS["in_context"]]).astype(float)
    over = right.mean(axis=1).std(ddof=1) / math.sqrt(3), right.mean(axis=0).std(ddof=1) / math.sqrt(ROWS)
    assert numbers["accuracy.in_context"] == pytest.approx(right.mean(), abs=1e-12)
    assert numbers["accuracy.in_context.stderr"] == pytest.approx(math.hypot(*over), abs=1e-12)
    made = rows.published_rows(tables, "dai_cb")
    assert [row[results.NUMBER] for row in made] == [*NUMBERS]
    assert made[-1][results.ours.name] == numbers["rec2ftp.fine_tuned"]
    assert made[-1][results.smaller.name] == 0.875
    assert made[-1][results.larger.name] == 1.0
    assert rows.published_rows(tables, "mine")[0][results.smaller.name] is None
    of_source = declared.numbers(results, {results.PUBLISHED: rows.published_rows(tables, "dai_mr")})
    assert of_source["printed.gpt_2_7b.in_context"] == pytest.approx(0.913, abs=1e-12)
    assert declared.numbers(results, {results.PUBLISHED: rows.published_rows(tables, "mine")}) == {}


def test_the_best_rate_of_each_set_is_marked():
    by_rate = {
        rate: [{"right": RANDOM.random(9) < 0.5, "loss": RANDOM.random(9)} for _ in SEEDS] for rate in (0.1, 0.3)
    }
    made = rows.rate_rows(SEEDS, by_rate, RATES)
    assert [(row[SEED], row[RATE]) for row in made if row[CHOSEN]] == [*zip(SEEDS, RATES, strict=True)]
    assert made[1]["accuracy"] == by_rate[0.3][0]["right"].mean()


WAYS = {way: [{"right": RANDOM.random((4, ROWS)) < 0.5, "loss": RANDOM.random((4, ROWS))} for _ in SEEDS]
        for way in ("in_context", "sgd", "full_batch")}  # fmt: skip


def test_spreads_over_orders_by_brute_force():
    """Of each row by the squared distances of all pairs of orders, which are twice the variance in the mean."""

    def spread(values):
        pairs = [(a - b) ** 2 for a in values for b in values if a is not b]
        return math.sqrt(sum(pairs) / len(pairs) / 2)

    made = {(row[SEED], row[results.WAY]): row for row in orders.order_rows(SEEDS, WAYS)}
    for way, sets in WAYS.items():
        for place, seed in enumerate(SEEDS):
            row, (right, loss) = made[seed, way], (sets[place][name] for name in ("right", "loss"))
            of_rows = [spread([math.exp(-each) for each in loss[:, x]]) for x in range(ROWS)]
            of_sgd = [spread([math.exp(-each) for each in WAYS["sgd"][place]["loss"][:, x]]) for x in range(ROWS)]
            assert row["spread"] == pytest.approx(np.mean(of_rows), abs=1e-12)
            assert row["over_sgd"] == pytest.approx(np.mean(of_rows) - np.mean(of_sgd), abs=1e-12)
            assert row["accuracy_spread"] == pytest.approx(spread([float(np.mean(each)) for each in right]), abs=1e-12)
            assert row["accuracy"] == pytest.approx(right.mean(), abs=1e-12)
            assert row["orders"] == 4
    assert made[4, "sgd"]["over_sgd.common"] == 0


def test_an_order_that_diverged_leaves_its_set_out_alone():
    lost = {name: np.where(np.arange(4)[:, None] == 2, np.nan, each) for name, each in WAYS["sgd"][0].items()}
    made = orders.order_rows(SEEDS, WAYS | {"sgd": [lost, *WAYS["sgd"][1:]]})
    empty = {(row[SEED], row[results.WAY]) for row in made if row["spread"] is None}
    assert empty == {(4, "sgd")}
    assert {(row[SEED], row[results.WAY]) for row in made if row["accuracy_spread"] is None} == empty
    assert [row["over_sgd"] is None for row in made if row[results.WAY] == "in_context"] == [True, False, False]


def test_orders_are_different_and_begin_with_the_given_one():
    assert sorted(orders.drawn(3, 8, "mine", 0)) == [*itertools.permutations(range(3))]
    assert orders.drawn(1, 8, "mine", 0) == [(0,)]
    many = orders.drawn(32, 8, "mine", 0)
    assert len({*many}) == 8
    assert many[0] == (*range(32),)
    assert all(sorted(each) == [*range(32)] for each in many)
    assert many[:4] == orders.drawn(32, 4, "mine", 0)
    assert many[1:] != orders.drawn(32, 8, "mine", 1)[1:]


def test_the_printed_tables_have_the_means_of_their_source():
    """Two models by six data sets; the means of Rec2FTP are the last column of the source's table."""
    table = printed(FILE)
    assert [row["model"] for row in table] == ["GPT 1.3B"] * 6 + ["GPT 2.7B"] * 6
    for model, mean in {"GPT 1.3B": 85.56, "GPT 2.7B": 89.39}.items():
        shares = [float(row["rec2ftp"]) for row in table if row["model"] == model]
        assert np.mean(shares) == pytest.approx(mean, abs=0.006)
    for row in table:
        zero, tuned, context = (float(row[name]) for name in NUMBERS[:3])
        assert zero < tuned
        assert tuned < context or (row["model"], row["data_set"]) == ("GPT 2.7B", "dai_cb")
    zero = published("dai_sst2", "accuracy.zero_shot")
    assert zero == pytest.approx({results.smaller.name: 0.705, results.larger.name: 0.714}, abs=1e-12)


@pytest.mark.parametrize(("settings", "epochs"), [({}, "1"), ({"epochs": "3"}, "3")])
def test_the_answer_says_how_often_fine_tuning_went_through_the_demonstrations(settings, epochs):
    numbers = {f"accuracy.{name}": 0.5 for name in ("zero_shot", "fine_tuned", "in_context")}
    summary = {"kind": "language_finetune", "settings": settings, "numbers": numbers, "claims": []}
    assert f"epochs: {epochs}" in generic.answer(summary)
