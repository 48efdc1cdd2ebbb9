"""Reading the context again: what a tiny run measures, and what its claims compare."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured, Row
from experiments.demonstrations.deep_thinking.figures.deep_thinking_settings import gain_rows
from experiments.demonstrations.deep_thinking.learner import recurrence
from experiments.demonstrations.deep_thinking.measure import measure
from experiments.demonstrations.deep_thinking.results import (
    agreement,
    fades_faster,
    fades_first_near_the_input,
    relative,
)
from experiments.demonstrations.tables import at_first
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import sampled
from tests.run_files import table
from tests.small_decoders import prompt_of, small_decoder, without_examples


@pytest.mark.slow  # a whole experiment
def test_deep_thinking_begins_with_one_reading(folder):
    rows = table(folder, "iterations")
    assert len(rows) == 2 * 4 * 3
    assert {float(row["gain"]) for row in rows if row["iterations"] == "1"} == {0.0}
    norms = [row for row in table(folder, "norms") if row["layer"] == "2"]
    relative, expected = ([float(row[name]) for row in norms] for name in ("relative", "recurrence"))
    np.testing.assert_allclose(relative, expected, atol=1e-3)  # float32, of norms as small as the updates
    uncached, cached, thinking = table(folder, "cost")
    assert float(uncached["tokens_per_query"]) == 4 + 4 + 1
    assert float(thinking["tokens_per_prompt"]) == 3 * float(cached["tokens_per_prompt"]) == 3 * 8
    per_token = 2 * 3 * 8 * 4
    assert float(uncached["queries_that_fit"]) == 16 * 2**30 // (9 * per_token)
    assert float(cached["queries_that_fit"]) == float(thinking["queries_that_fit"]) == 16 * 2**30 // per_token - 8
    assert float(cached["key_value_bytes"]) == 2 * 3 * 8 * 8 * 4  # K and V, 3 layers, 8 tokens, width 8, 4 bytes


@pytest.mark.slow  # a whole experiment
def test_what_is_measured_is_what_the_decoder_answers(folder):
    """Asked by hand: without examples, in context, on the queries that choose and on the fresh ones behind them."""
    rows = table(folder, "protocols")
    assert [(row["seed"], row["eta"]) for row in rows if row["protocol"] == "zero_shot"] == [("0", ""), ("1", "")]
    task, key, one = ShiftedClasses(num_context=4, num_queries=50), jax.random.key(0), jnp.array([0.5])
    model = small_decoder(task)
    measured = measure(model, task, key, one, one, count=2, iterations=2, scored=(10, 30), fresh=20, offset=False)
    episodes, answered = sampled(task, key, 2), jax.jit(lambda prompt: model(prompt))
    for b in range(2):
        prompt = prompt_of(episodes, b)
        answers_QxC = answered(without_examples(prompt))
        right = np.argmax(answers_QxC, axis=1) == np.asarray(episodes.target[b])
        assert measured["zero_shot"][b] == pytest.approx(np.mean(right))
        logits_QxC = np.asarray(answered(prompt), np.float64)
        in_context = np.argmax(logits_QxC, axis=1) == np.asarray(episodes.target[b])
        assert (in_context != right).any()
        assert measured["right"][b, 0, 0] == pytest.approx(np.mean(in_context))
        expected = [np.mean(in_context[:10]), np.mean(in_context[:30])]
        np.testing.assert_allclose(measured["scored"][b, 0, 0], expected, rtol=1e-6)
        assert measured["fresh"][b, 0, 0] == pytest.approx(np.mean(in_context[30:]))
        shares_QxC = np.exp(logits_QxC) / np.exp(logits_QxC).sum(axis=1, keepdims=True)
        losses = -np.log(shares_QxC[np.arange(50), np.asarray(episodes.target[b])])
        expected = [np.mean(losses), np.mean(losses[:30]), np.mean(losses[30:])]
        for name, loss in zip(("losses", "losses_scored", "losses_fresh"), expected, strict=True):
            assert measured[name][b, 0, 0] == pytest.approx(loss, rel=1e-5)
        entropy = -np.mean(np.sum(shares_QxC * np.log(shares_QxC), axis=1))
        assert measured["entropy"][b] == pytest.approx(entropy, rel=1e-5)


def norms(of_layer):
    """Rows of both rates, in which the norm half-way is a function of layer and rate; the first layer does not move."""
    return [
        {"seed": seed, "eta": eta, "beta": 0.9, "layer": layer, "iterations": count}
        | {"relative": of_layer(layer, eta) + 0.001 * seed if layer > 1 else ""}
        for seed in range(3)
        for eta in (0.1, 0.01)
        for layer in (1.0, 2.0, 3.0, 4.0)
        for count in (2.0, 8.0, 15.0)
    ]


def test_a_recurrence_decides_nothing():
    """The second layer's norms are those of numbers that no decoder enters: with it alone fading is not judged, and its
    numbers do not turn the verdict on rates."""
    faster = fades_faster(relative)
    rows = norms(lambda layer, eta: 1.0 - 0.5 * eta if layer == 2 else 0.9 - eta)
    conditions = faster(Tables(norms=rows))
    assert [each.name[-7:] for each in conditions] == ["layer 3", "layer 4"]
    assert all(each.met for each in conditions)
    for judge in (faster, fades_first_near_the_input(relative)):
        with pytest.raises(NotMeasured):
            judge(Tables(norms=[row for row in rows if row["layer"] <= 2]))
    fast, slow = (abs(recurrence(15, eta, 0.9)[7]) for eta in (0.1, 0.01))
    assert fast < slow, "so it would hold, whatever is trained"


@pytest.mark.parametrize("by_layer", [0.05, -0.05])
def test_the_lowest_layer_that_moves_is_compared_with_all_above(by_layer):
    conditions = fades_first_near_the_input(relative)(Tables(norms=norms(lambda layer, eta: 0.5 + by_layer * layer)))
    assert [each.name[-17:] for each in conditions] == ["layer 2 - layer 3", "layer 2 - layer 4"] * 2
    assert [each.number.mean for each in conditions] == pytest.approx([-by_layer, -2 * by_layer] * 2)


def test_tasks_are_correlated_within_a_seed():
    rows = [
        {"seed": seed, "nats_scored": sign * place + 100 * seed, "nats_fresh": place}
        for seed, sign in ((0.0, 1), (1.0, -1))
        for place in range(4)
    ]
    (number,) = agreement.numbers(Tables(tasks=rows)).values()
    assert [*number.by_seed.values()] == pytest.approx([1, -1])
    with pytest.raises(NotMeasured):
        agreement.numbers(Tables(tasks=[row | {"nats_fresh": 1.0} for row in rows]))


def test_headline_numbers_are_at_the_first_rate_or_of_protocols_without():
    rows = [{"eta": 0.1, "scored": 8}, {"eta": 0.2, "scored": 8}, {"eta": 0.1, "scored": 4}, {"eta": None}, {}]
    assert at_first({"x": rows}, eta=0.1, scored=8) == {"x": [rows[0], rows[3], rows[4]]}


def test_a_panel_of_several_settings_shows_the_rate_of_the_source_and_the_most_queries():
    theirs, others = {"eta": 0.01, "beta": 0.9}, {"eta": 0.1, "beta": 0.9}
    rows = [
        Row({"protocol": name, "scored": scored, "gain": scale + (scored if scored > 0 else 0), **rate})
        for rate, scale in ((theirs, 0.5), (others, -5.0))
        for name, scored in (("validated", math.nan), ("fresh", 2.0), ("fresh", 4.0))
    ]
    rows.append(Row({"protocol": "again", "scored": math.nan, "gain": 0.25, "eta": math.nan, "beta": math.nan}))
    for protocol, gain in (("validated", 0.5), ("fresh", 4.5), ("again", 0.25)):
        assert [row["gain"] for row in gain_rows(rows, protocol)] == [gain]
