"""The ladder from linear attention to softmax: what a tiny run measures, and how it is drawn."""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.duals.attention_ladder import figure
from experiments.duals.attention_ladder.measure import DUAL, FROZEN, SOFTMAX, measure, rungs
from lab.runs.directory import RunDirectory
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import sampled
from tests.run_files import table
from tests.small_decoders import prompt_of, small_decoder, without_examples

pytestmark = pytest.mark.slow  # whole experiments

KEY = jax.random.key(0)
NAMES = ["linear", "linear, divided by n", "Taylor, degree 1", "Taylor, degree 2", "normaliser without examples",
         "16 random features", FROZEN, DUAL, SOFTMAX]  # fmt: skip


@pytest.fixture(scope="module")
def ladder():
    task = ShiftedClasses(num_context=4, num_queries=30)
    model = small_decoder(task)
    return task, model, rungs(model, [2, 1], 16, KEY)


def test_the_rungs_are_in_order_and_differ(ladder):
    task, _, changed = ladder
    assert [*changed] == NAMES
    prompt = jax.tree.map(lambda leaf: leaf[0], sampled(task, KEY, 1).prompt)
    answers = [np.asarray(each(prompt)) for each in changed.values()]
    assert all(not np.allclose(one, other) for i, one in enumerate(answers[:-1]) for other in answers[:i])


@pytest.mark.parametrize("rung", [SOFTMAX, DUAL])
def test_the_top_rungs_are_the_decoder(ladder, rung):
    task, model, changed = ladder
    measured = measure(model, changed[rung], task, KEY, count=3)
    np.testing.assert_array_equal(measured["agreement"], 1.0)
    np.testing.assert_array_equal(measured["accuracy"], measured["own"])
    np.testing.assert_allclose(measured["similarity"], 1.0, atol=1e-5)


def test_a_rung_is_measured_as_by_hand(ladder):
    """The decoders are asked by hand, one episode at a time, with and without examples."""
    task, model, changed = ladder
    other = changed["linear, divided by n"]
    measured, episodes = measure(model, other, task, KEY, count=3), sampled(task, KEY, 3)
    for b in range(3):
        prompt = prompt_of(episodes, b)
        empty = without_examples(prompt)
        own, its = (np.argmax(each(prompt), axis=1) for each in (model, other))
        target = np.asarray(episodes.target[b])
        assert measured["own"][b] == pytest.approx(np.mean(own == target))
        assert measured["accuracy"][b] == pytest.approx(np.mean(its == target))
        assert measured["agreement"][b] == pytest.approx(np.mean(own == its))
        assert measured["zero_shot"][b] == pytest.approx(np.mean(np.argmax(model(empty), axis=1) == target))
        updates = [
            each.trace(prompt).attended[:, -30:] - each.trace(empty).attended[:, -30:] for each in (model, other)
        ]
        norms = np.prod([np.linalg.norm(each, axis=-1) for each in updates], axis=0)
        expected = np.mean(np.sum(updates[0] * updates[1], axis=-1) / norms, axis=1)
        np.testing.assert_allclose(measured["similarity"][b], expected, atol=1e-4)


def test_answers_that_are_no_numbers_are_wrong(ladder):
    task, model, changed = ladder
    broken = changed["linear"]
    broken.w_answer[...] = jnp.full_like(broken.w_answer[...], jnp.nan)
    measured = measure(model, broken, task, KEY, count=2)
    assert not np.any(measured["accuracy"])
    assert not np.any(measured["agreement"])


def test_a_tiny_run_has_every_rung(folder):
    rows, layers = table(folder, "rungs"), table(folder, "layers")
    assert [row["rung"] for row in rows] == 2 * NAMES
    assert {row["lost"] for row in rows if row["rung"] == SOFTMAX} == {"0.0"}
    assert len(layers) == 3 * len(rows)


def test_the_figure_has_the_rungs_in_their_order(drawn):
    panel = figure.draw(RunDirectory(pathlib.Path("docs/results/attention_ladder"))).axes[0]
    labels = [text.get_text() for text in panel.get_yticklabels()]
    assert labels[:2] == ["linear", "linear, divided by n"]
    assert labels[-3:] == [FROZEN, DUAL, SOFTMAX]
    assert panel.yaxis_inverted(), "the first is at the top"
