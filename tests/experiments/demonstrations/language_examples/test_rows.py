"""Answers behind more and more demonstrations: tables against counts by hand, and answers against plain prompts."""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.demonstrations.language_examples import results, rows
from experiments.demonstrations.language_examples.run import answered
from experiments.demonstrations.language_examples.settings import LanguageExamples
from lab.config.checks import check
from lab.errors import ConfigError
from tasks.texts.form import Item
from tasks.texts.settings import Answer, Texts
from tests.trainers.language.test_prompts import opened

RANDOM = np.random.default_rng(3)
SEEDS, COUNTS, TEST, VALIDATION = [5, 6, 7], [0, 2, 8], 12, 9
ITEMS = [Item("", ("a", "b", "c"), int(right), row) for row, right in enumerate(RANDOM.integers(0, 3, TEST))]


def tree(alone=None):
    measured: dict[str, Any] = {"tokens": np.int64(RANDOM.integers(9))}
    for way in rows.WAYS:
        for group, count in (("test", TEST), ("validation", VALIDATION)):
            measured[f"{group}.right.{way}"] = RANDOM.random(count) < 0.5
            measured[f"{group}.loss.{way}"] = RANDOM.random(count)
    return measured | (alone or {})


def shared_rows(measured):
    return {name: array for name, array in measured.items() if name.startswith("test")}


ALONE = shared_rows(tree())
BY_COUNT = [[tree(ALONE if count == 0 else None) for _ in SEEDS] for count in COUNTS]
MADE = rows.tables(SEEDS, COUNTS, BY_COUNT, ITEMS)


@pytest.mark.parametrize("way", rows.WAYS)
@pytest.mark.parametrize(("n", "count"), [*enumerate(COUNTS)])
@pytest.mark.parametrize(("s", "seed"), [*enumerate(SEEDS)])
def test_each_row_has_the_means_of_its_set(way, n, count, s, seed):
    key = {results.SEED: seed, results.COUNT: count, results.WAY: way}
    (row,) = [row for row in MADE[results.EXAMPLES] if key.items() <= row.items()]
    measured = BY_COUNT[n][s]
    assert row["accuracy"] == pytest.approx(np.mean(measured[f"test.right.{way}"]))
    assert row["loss"] == pytest.approx(np.mean(measured[f"test.loss.{way}"]))
    assert row["validation"] == pytest.approx(np.mean(measured[f"validation.right.{way}"]))
    assert row["gain"] == pytest.approx(row["accuracy"] - np.mean(ALONE[f"test.right.{way}"]))
    gains = [BY_COUNT[n][i][f"test.right.{way}"] * 1.0 - ALONE[f"test.right.{way}"] for i in range(len(SEEDS))]
    assert row["gain.common"] == pytest.approx(np.mean(gains, axis=0).std(ddof=1) / math.sqrt(TEST))
    assert row["chance"] == pytest.approx(1 / 3)
    assert row["majority"] == max([item.right for item in ITEMS].count(right) for right in range(3)) / TEST


@pytest.mark.parametrize("among", [*rows.WAYS, results.ANY])
def test_number_and_way_are_chosen_on_validation_rows_alone(among):
    ways = rows.WAYS if among == results.ANY else (among,)

    def mean(way, n):
        return sum(BY_COUNT[n][s][f"validation.right.{way}"].sum() for s in range(len(SEEDS)))

    way, n = max(((way, n) for way in ways for n in (1, 2)), key=lambda at: mean(*at))
    alone = max(ways, key=lambda each: mean(each, 0))
    made = [row for row in MADE[results.CHOSEN] if row[results.CHOICE] == among]
    assert [row[results.SEED] for row in made] == SEEDS
    for s, row in enumerate(made):
        assert (row["way"], row["alone"], row["examples"]) == (way, alone, COUNTS[n])
        assert row["accuracy"] == pytest.approx(BY_COUNT[n][s][f"test.right.{way}"].mean())
        assert row["zero_shot"] == pytest.approx(ALONE[f"test.right.{alone}"].mean())
        assert row["gain"] == pytest.approx(row["accuracy"] - row["zero_shot"])


def test_other_test_answers_change_no_choice():
    flipped = [
        [{name: ~array if name.startswith("test.right") else array for name, array in each.items()} for each in trees]
        for trees in BY_COUNT
    ]
    chosen = [(row["way"], row["alone"], row["examples"]) for row in MADE[results.CHOSEN]]
    again = rows.tables(SEEDS, COUNTS, flipped, ITEMS)[results.CHOSEN]
    assert [(row["way"], row["alone"], row["examples"]) for row in again] == chosen


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 2])
def test_every_way_is_that_of_the_whole_prompt(tmp_path, count):
    """Log-probabilities of each answer, token by token, of prompts that are read without a history."""
    each = opened(tmp_path, answer=Answer.calibrated)
    examples, test = each.texts.train[:count], each.texts.test[:5]
    measured = answered(each, examples, {"test": test, "validation": each.texts.train[7:10]}, 4)
    read = jax.jit(each.model.logits)
    front = "".join(item.shown + each.separator for item in examples)

    def log_p(prompt, answer):
        start, whole = (each.tokenizer.encode(front + text, special=True) for text in (prompt, prompt + answer))
        logits = jax.nn.log_softmax(read(jnp.array(whole)), axis=-1)
        return [float(logits[place - 1, whole[place]]) for place in range(len(start), len(whole))]

    def numbers(item):
        return np.array([[sum(log_p(item.prompt, a)), np.mean(log_p(item.prompt, a))] for a in item.answers])

    free = np.mean(
        [np.exp(n[:, 0]) / np.exp(n[:, 0]).sum() for n in map(numbers, each.texts.form.free(each.texts.words))], axis=0
    )
    for x, item in enumerate(test):
        values = numbers(item)
        by_way = {"sum": values[:, 0], "mean": values[:, 1], "calibrated": values[:, 0] - np.log(free)}
        for way, scores in by_way.items():
            loss = -scores[item.right] + np.log(np.exp(scores).sum())
            assert measured[f"test.loss.{way}"][x] == pytest.approx(loss, abs=2e-4)  # float32, several tokens


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data_sets": ["sst2"], "text": Texts(path="x", dataset="mr")}, "data_sets: each has its own files"),
        ({"data_sets": ["imdb"]}, "data_sets=imdb: no such data set"),
        ({"data_sets": ["copa"]}, "copa: rows have answers of their own"),
        ({"data_sets": ["mr", "mr"]}, r"data_sets=\[mr,mr\]: each once"),
        ({"counts": []}, r"counts=\[\]: at least one"),
    ],
)
def test_data_sets_that_do_not_fit_are_refused_in_a_line(changes, message):
    settings = LanguageExamples(text=Texts(path="x"))
    settings.lm.path = "smollm2"
    with pytest.raises(ConfigError, match=message):
        check(dataclasses.replace(settings, **changes))
