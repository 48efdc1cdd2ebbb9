"""Reading the context again: what a tiny run measures, and verdicts on tables whose verdicts are known."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.demonstrations.deep_thinking import figure as deep_thinking
from experiments.demonstrations.deep_thinking.measure import measure
from lab.layouts.merged import TokenLayout
from lab.layouts.merged_sequence import Merged
from lab.learners.decoder import Decoder
from lab.learners.decoder_shape import Shape
from lab.learners.deep_thinking import recurrence
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import sampled
from tests.run_files import table
from tests.tiny_runs import tiny_run

pytestmark = pytest.mark.slow  # whole experiments


def test_deep_thinking_begins_with_one_reading(tmp_path_factory):
    directory = tiny_run(tmp_path_factory, "deep_thinking").directory
    rows = table(directory, "iterations")
    assert len(rows) == 2 * 4 * 3
    assert {float(row["gain"]) for row in rows if row["iterations"] == "1"} == {0.0}
    norms = [row for row in table(directory, "norms") if row["layer"] == "2"]
    relative, expected = ([float(row[name]) for row in norms] for name in ("relative", "recurrence"))
    np.testing.assert_allclose(relative, expected, atol=1e-3)  # float32, of norms as small as the updates
    uncached, cached, thinking = table(directory, "cost")
    assert float(uncached["tokens_per_query"]) == 4 + 4 + 1
    assert float(thinking["tokens_per_prompt"]) == 3 * float(cached["tokens_per_prompt"]) == 3 * 8
    per_token = 2 * 3 * 8 * 4
    assert float(uncached["queries_that_fit"]) == 16 * 2**30 // (9 * per_token)
    assert float(cached["queries_that_fit"]) == float(thinking["queries_that_fit"]) == 16 * 2**30 // per_token - 8
    assert float(cached["key_value_bytes"]) == 2 * 3 * 8 * 8 * 4  # K and V, 3 layers, 8 tokens, width 8, 4 bytes


def test_what_is_measured_is_what_the_decoder_answers(tmp_path_factory):
    """Asked by hand: without examples, in context, on the queries that choose and on the fresh ones behind them."""
    rows = table(tiny_run(tmp_path_factory, "deep_thinking").directory, "protocols")
    assert [(row["seed"], row["eta"]) for row in rows if row["protocol"] == "zero_shot"] == [("0", ""), ("1", "")]
    task, key, one = ShiftedClasses(num_context=4, num_queries=50), jax.random.key(0), jnp.array([0.5])
    shape = Shape(Merged(TokenLayout.of(task)), 4, width=8, num_layers=2, num_heads=2, num_groups=2, mlp_width=8)
    model = Decoder(shape, jax.random.key(1))
    model.w_answer[...] = jax.random.normal(jax.random.key(2), model.w_answer.shape)
    measured = measure(model, task, key, one, one, count=2, iterations=2, scored=(10, 30), fresh=20, offset=False)
    episodes = sampled(task, key, 2)
    for b in range(2):
        prompt = jax.tree.map(lambda leaf, b=b: leaf[b], episodes.prompt).replace(visible=None)
        nothing = jax.tree.map(lambda leaf: leaf[:0], (prompt.context, prompt.answers))
        answers_QxC = model(prompt.replace(context=nothing[0], answers=nothing[1]))
        right = np.argmax(answers_QxC, axis=1) == np.asarray(episodes.target[b])
        assert measured["zero_shot"][b] == pytest.approx(np.mean(right))
        logits_QxC = np.asarray(model(prompt), np.float64)
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


PAIRS = [(0.1, 0.9), (0.01, 0.9), (0.01, 0.0)]
LAYERS = (1.0, 2.0, 3.0, 4.0)


def tables(gain=0.01, momentum=0.02, momentum_fresh=0.02, again=0.0, zero_shot=-0.3, peaks=(3, 8, 13), fast=0.2,
           slow=0.8, by_layer=0.05, few=0.1, differ=1, told=1, unsure=1, kept=200):  # fmt: skip
    """Tables in which these numbers are measured. peaks: of the three pairs. fast, slow: norms at either rate in the
    third layer; each further one has `by_layer` more, and the second so much less."""
    protocols, norms, tasks = [], [], []
    for seed in range(3):
        noise = 0.001 * seed
        for (eta, beta), peak in zip(PAIRS, peaks, strict=True):
            place = {"seed": seed, "eta": eta, "beta": beta}
            without = beta == 0
            gains = {
                ("validated", math.nan): gain,
                ("fresh", 32.0): 0.5,
                ("fresh", 872.0): gain - without * momentum_fresh,
                ("best_per_task", 32.0): few,
                ("best_per_task", 872.0): 0.03 - without * momentum,
                ("best_common", math.nan): 0.0,
            }
            protocols += [
                place
                | {"protocol": name, "scored": scored, "gain": value + noise * (1 + without)}
                | {"iterations": peak + noise * beta}
                for (name, scored), value in gains.items()
            ]
            if not without:
                middle = fast if eta == 0.1 else slow
                norms += [
                    place
                    | {"layer": layer, "iterations": count, "relative": middle + (layer - 3) * by_layer + noise * eta}
                    for layer in LAYERS[1:]
                    for count in (2.0, 8.0, 15.0)
                ]
                norms += [place | {"layer": 1.0, "iterations": count, "relative": ""} for count in (2.0, 8.0, 15.0)]
        protocols += [
            {"seed": seed, "eta": "", "beta": "", "protocol": name, "scored": math.nan, "gain": value + 2 * noise}
            | {"iterations": ""}
            for name, value in (("again", again), ("zero_shot", zero_shot))
        ]
        tasks += [
            {
                "seed": seed,
                "nats_fresh": place + noise * place**2,
                "nats_scored": differ * place,
                "first_update": told * place,
                "entropy": unsure * place,
            }
            for place in range(-5, 6)
        ]
    queries = {"in context, nothing kept": 10, "in context, prefix kept": kept, "Deep-Thinking": 200}
    cost = [{"way": way, "queries_that_fit": count} for way, count in queries.items()]
    return Tables(protocols=protocols, norms=norms, tasks=tasks, cost=cost)


def judged(directory):
    return [claim.evaluate(directory, {}, deep_thinking.CONTROLS) for claim in deep_thinking.CLAIMS]


@pytest.mark.parametrize(
    ("numbers", "refuted"),
    [
        ({}, []),
        ({"gain": -0.01}, [0, 1, 5]),
        ({"momentum": -0.02}, [2]),
        ({"momentum_fresh": -0.02}, [3]),
        ({"peaks": (3, 8, 2)}, [4]),
        ({"again": 0.05}, [5]),
        ({"peaks": (9, 8, 13)}, [6]),
        ({"fast": 0.9}, [7]),
        ({"by_layer": -0.05}, [8]),
        ({"few": 0.01}, [9]),
        ({"differ": -1}, [10]),
        ({"told": -1}, [11]),
        ({"unsure": -1}, [12]),
        ({"kept": 10}, [14]),
    ],
    ids=str,
)
def test_verdicts_follow_the_numbers(numbers, refuted):
    assert [verdict["holds"] for verdict in judged(tables(**numbers))] == [i not in refuted for i in range(15)]


def test_no_verdicts_on_decoders_that_learn_nothing_in_context():
    *learned, fits, fits_too = judged(tables(zero_shot=0.0))
    assert {verdict["outcome"] for verdict in learned} == {Outcome.NOT_REACHED}
    assert {fits["outcome"], fits_too["outcome"]} == {Outcome.HOLDS}, "which is arithmetic"


def test_a_recurrence_decides_nothing():
    """The second layer's norms are those of numbers that no decoder enters: with it alone fading is not judged, and its
    numbers do not turn the verdict on rates."""
    directory = tables()
    for row in directory.tables["norms"]:
        if row["layer"] == 2.0:
            row["relative"] = 1.0 - 0.5 * row["eta"]
    assert judged(directory)[7]["holds"] is True
    assert len(judged(directory)[7]["measured"]) == 2, "the third layer and the fourth"
    alone = Tables(
        protocols=directory.tables["protocols"], norms=[row for row in directory.tables["norms"] if row["layer"] <= 2]
    )
    assert [verdict["outcome"] for verdict in judged(alone)[7:9]] == [Outcome.NOT_MEASURED] * 2
    fast, slow = (abs(recurrence(15, eta, 0.9)[7]) for eta in (0.1, 0.01))
    assert fast < slow, "so it would hold, whatever is trained"
