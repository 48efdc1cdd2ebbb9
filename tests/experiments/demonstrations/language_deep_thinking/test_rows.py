"""Rows of what was measured with every set of demonstrations, against counts by hand."""

import math

import numpy as np
import pytest

from analysis.results import declared
from analysis.tables.in_memory import Tables
from experiments.demonstrations.deep_thinking import results as study
from experiments.demonstrations.deep_thinking.results import AGAIN, FRESH, TWICE, VALIDATED, ZERO_SHOT, gain, gained
from experiments.demonstrations.deep_thinking.rows import iteration_rows, norm_rows
from experiments.demonstrations.language_deep_thinking import results, rows
from experiments.demonstrations.language_deep_thinking.results import BEST, NO_MOMENTUM
from experiments.demonstrations.language_deep_thinking.rows import FILE, published
from experiments.demonstrations.tables import at_first, printed
from experiments.demonstrations.two_way import writer
from tasks.texts.form import Item
from tasks.texts.order import ordered

RANDOM = np.random.default_rng(1)
SETS, ITERATIONS, ROWS, VALIDATION = 3, 4, 20, 9
SEEDS = [4, 5, 6]


def measured():
    """Return one set as `measure.thought` does."""
    return {
        "right": RANDOM.random((ITERATIONS, ROWS)) < 0.6,
        "loss": RANDOM.random((ITERATIONS, ROWS)),
        "validation": RANDOM.random((ITERATIONS, VALIDATION)) < 0.6,
        "key_norms": np.concatenate([np.zeros((1, 2)), 1 + RANDOM.random((ITERATIONS - 1, 2))]),
    }


WITH, WITHOUT = (True, 0.1, 0.9), (True, 0.1, 0.0)
ALL = {WITH: [measured() for _ in SEEDS], WITHOUT: [measured() for _ in SEEDS]}
for one, other in zip(ALL[WITH], ALL[WITHOUT], strict=True):
    other["right"][0] = one["right"][0]  # plain in-context learning is the same
READINGS = rows.readings_of(ALL)
REREAD = {True: [measured() for _ in SEEDS]}
CONTROLS = [{"zero_shot": RANDOM.random(ROWS) < 0.3, "twice": RANDOM.random(ROWS) < 0.5} for _ in SEEDS]


@pytest.fixture(scope="module")
def protocols():
    made = rows.protocol_rows(SEEDS, READINGS, REREAD, CONTROLS, "mine")

    def number(protocol, seed, column=gain.name, beta=0.9):
        (row,) = [
            row
            for row in made
            if row[study.PROTOCOL] == protocol and row[study.SEED] == seed and row[study.BETA] in (None, beta)
        ]
        return row[column]

    return number


@pytest.mark.parametrize(("beta", "setting"), [(0.9, WITH), (0.0, WITHOUT)])
@pytest.mark.parametrize("place", range(SETS))
def test_gains_by_protocol_are_those_of_counts(place, beta, setting, protocols):
    seed, one = SEEDS[place], ALL[setting][place]
    accuracies = one["right"].sum(axis=1) / ROWS
    chosen = max(range(ITERATIONS), key=lambda t: (one["validation"][t].sum(), -t))
    assert protocols(VALIDATED, seed, beta=beta) == pytest.approx(accuracies[chosen] - accuracies[0], abs=1e-12)
    assert protocols(VALIDATED, seed, study.COUNT, beta) == chosen + 1
    assert protocols(BEST, seed, beta=beta) == pytest.approx(max(accuracies) - accuracies[0], abs=1e-12)
    order = ordered(range(ROWS), "mine/fresh", 0)
    right = 0
    for choosing, judging in ((order[::2], order[1::2]), (order[1::2], order[::2])):
        best = max(range(ITERATIONS), key=lambda t: (one["right"][t][choosing].sum(), -t))
        right += one["right"][best][judging].sum()
    assert protocols(FRESH, seed, beta=beta) == pytest.approx(right / ROWS - accuracies[0], abs=1e-12)


@pytest.mark.parametrize("place", range(SETS))
def test_controls_and_momentum_are_paired_with_plain_in_context_learning(place, protocols):
    seed = SEEDS[place]
    one, other = (ALL[setting][place]["right"].sum(axis=1) / ROWS for setting in (WITH, WITHOUT))
    assert protocols(NO_MOMENTUM, seed) == pytest.approx(max(one) - max(other), abs=1e-12)
    plain = one[0]
    assert protocols(AGAIN, seed) == pytest.approx(REREAD[True][place]["right"][1].mean() - plain, abs=1e-12)
    for control in (TWICE, ZERO_SHOT):
        assert protocols(control, seed) == pytest.approx(CONTROLS[place][control].mean() - plain, abs=1e-12)


def test_the_error_that_all_sets_share_is_that_of_paired_differences_over_rows(protocols):
    gains = np.stack([each["zero_shot"] * 1.0 - one["right"][0] for each, one in zip(CONTROLS, ALL[WITH], strict=True)])
    by_hand = gains.mean(axis=0).std(ddof=1) / math.sqrt(ROWS)
    assert protocols(ZERO_SHOT, 4, f"{gain.name}.common") == pytest.approx(by_hand, abs=1e-12)


def test_gains_by_iterations_are_paired_and_nil_at_the_first():
    made = iteration_rows(writer(SEEDS), READINGS.values())
    assert len(made) == 2 * SETS * ITERATIONS
    for row in made:
        one = ALL[bool(row[results.OFFSET]), row[study.ETA], row[study.BETA]][SEEDS.index(row[study.SEED])]
        t = row[study.COUNT] - 1
        assert row[study.accuracy.name] == pytest.approx(one["right"][t].mean(), abs=1e-12)
        assert row[gained.name] == pytest.approx(one["right"][t].mean() - one["right"][0].mean(), abs=1e-12)
        difference = one["loss"][t].mean() - one["loss"][0].mean()
        assert row[study.loss_difference.name] == pytest.approx(difference, abs=1e-12)
        assert t or row[f"{gained.name}.common"] == 0


def test_chance_and_the_most_frequent_class():
    items = [Item("", (" a", " b"), row % 5 == 0, row) for row in range(ROWS)]
    sets = [{"right": ALL[WITH][0]["right"], "loss": ALL[WITH][0]["loss"], "tokens": np.arange(4)} for _ in SEEDS]
    row = rows.example_rows(SEEDS, [0, 1, 2, 3], sets, items)[1]
    assert row[results.chance.name] == 0.5
    assert row[results.majority.name] == 0.8
    assert row[results.by_examples.name] == sets[0]["right"][1].mean()
    own = [Item("", (f" {row}", " b"), 0, row) for row in range(ROWS)]
    assert rows.example_rows(SEEDS, [0], sets, own)[0][results.majority.name] == 0.5, "answers of its own: no classes"


def test_norms_relative_to_the_first_update_beside_the_recurrence():
    """With eta = .1 and beta = 0 the recurrence falls by .9 at each iteration."""
    norms = ALL[WITHOUT][0]["key_norms"]
    for row in norm_rows(rows.columns_of(*WITHOUT), norms):
        t, layer = row[study.COUNT] - 1, row["layer"] - 1
        assert row["relative"] == pytest.approx(norms[t, layer] / norms[1, layer], abs=1e-12)
        assert row["recurrence"] == pytest.approx(0.9 ** (t - 1), abs=1e-12)


def test_printed_accuracies_stand_beside_this_runs():
    made = rows.published_rows(READINGS[WITH], "sst2", published("opt", 12, 768, "sst2"), theirs=True)
    by_number = {row[results.NUMBER]: row for row in made}
    assert by_number["in_context"][results.printed.name] == pytest.approx(0.5573)
    assert by_number[BEST][results.printed.name] == pytest.approx(0.7202)
    assert by_number[VALIDATED][results.printed.name] is None
    plain = np.mean([one["right"][0].mean() for one in ALL[WITH]])
    assert by_number["in_context"][results.ours.name] == pytest.approx(plain, abs=1e-12)
    assert published("llama", 2, 16, "sst2") == {}


def test_the_printed_table_has_the_means_of_its_source():
    """20 models by ten data sets, with mean gains that were computed apart from the source's two tables."""
    table = printed(FILE)
    assert len(table) == 200
    assert len({row["model"] for row in table}) == 20
    means = {"sst2": 6.87, "sst5": 2.88, "trec": 7.13, "mr": 3.37, "agnews": 3.44, "copa": 2.0, "openbookqa": 1.2,
             "winogrande": 0.98, "qasc": 2.07, "hellaswag": 0.26}  # fmt: skip
    for name, mean in means.items():
        gains = [float(row["deep_thinking"]) - float(row["in_context"]) for row in table if row["data_set"] == name]
        assert len(gains) == 20
        assert min(gains) >= 0, "the best of iterations of which the first is in-context learning"
        assert np.mean(gains) == pytest.approx(mean, abs=0.006)


@pytest.mark.parametrize("counts", [[0, 1, 2, 4], [0, 2], [0], [2]])
def test_what_is_called_in_context_is_the_accuracy_behind_all_demonstrations(counts):
    """Whatever numbers of them are measured as well: it is that of one reading, from which gains count."""
    examples = [
        {name: RANDOM.random((len(counts), ROWS)) < 0.2 for name in ("right", "loss")} | {"tokens": np.array(counts)}
        for _ in SEEDS
    ]
    test = [Item("", (" a", " b"), 0, row) for row in range(ROWS)]
    tables = {
        results.EXAMPLES: rows.example_rows(SEEDS, counts, examples, test),
        study.ITERATIONS: iteration_rows(writer(SEEDS), READINGS.values()),
        study.PROTOCOLS: rows.protocol_rows(SEEDS, READINGS, REREAD, CONTROLS, "mine"),
    }
    numbers = declared.numbers(results, at_first(tables, **rows.columns_of(*WITH)))
    assert numbers["accuracy.in_context"] == pytest.approx(np.mean([one["right"][0] for one in ALL[WITH]]))
    alone = np.mean([each["right"][0] for each in examples]) if counts[0] == 0 else None
    assert numbers.get("accuracy.zero_shot") == (alone if alone is None else pytest.approx(alone))


@pytest.mark.parametrize(("right", "met"), [(0.5, True), (1.0, False)])
def test_only_answers_that_one_reading_gets_wrong_can_be_put_right(right, met):
    rows = [
        {"seed": seed, "offset": 1.0, "eta": eta, "beta": 0.9, "iterations": count, "accuracy": right / count}
        for seed in range(3)
        for eta in (0.1, 0.01)
        for count in (1.0, 2.0)
    ]
    (room,) = results.ROOM(Tables(iterations=rows))
    assert (room.number.mean, room.met) == (right, met)
