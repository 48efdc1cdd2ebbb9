"""Choosing sets of demonstrations: what is measured and how it is chosen, one set at a time."""

import jax
import numpy as np
import pytest
from scipy.stats import spearmanr

from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.demonstrations.demonstration_choice.measure import measure
from experiments.demonstrations.demonstration_choice.results import helps
from experiments.demonstrations.demonstration_choice.rows import decoder_rows
from tasks.shifted_classes import ShiftedClasses
from tests.compiled import sampled
from tests.small_decoders import prompt_of, small_decoder, without_examples


@pytest.mark.slow
def test_a_set_is_scored_as_the_only_examples_of_the_prompt(float64):
    """A batch of sets sums in another order than one prompt alone: 1e-10 is far above rounding, below any mistake."""
    sets, size = 3, 2
    task = ShiftedClasses(num_context=sets * size, num_queries=60)
    model, key = small_decoder(task, size), jax.random.key(0)
    measured = measure(model, task, key, 2, sets, (10, 25))
    episodes = sampled(task, key, 2)
    answer = jax.jit(lambda prompt: model(prompt))
    assert measured["zero_shot"].shape == (2, 60)
    for b in range(2):
        prompt = prompt_of(episodes, b)
        labels = np.asarray(episodes.target[b])
        alone = model(without_examples(prompt))
        np.testing.assert_array_equal(measured["zero_shot"][b], np.argmax(alone, axis=1) == labels)
        for m in range(sets):
            examples = (prompt.context, prompt.answers)
            context, answers = jax.tree.map(lambda leaf, m=m: leaf[m * size : (m + 1) * size], examples)
            logits = np.asarray(answer(prompt.replace(context=context, answers=answers)))
            probability = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
            right = probability[np.arange(60), labels]
            ranks = np.sum(probability >= right[:, None], axis=1)
            np.testing.assert_allclose(measured["loss"][b, m], -np.log(right), atol=1e-10)
            np.testing.assert_allclose(measured["effect"][b, m], 1 / np.log2(ranks + 1), atol=1e-10)
            np.testing.assert_array_equal(measured["accuracy"][b, m], ranks == 1)


def test_rows_are_those_of_a_loop_over_episodes():
    random = np.random.default_rng(0)
    measured = {name: random.integers(0, 3, (6, 5, 30)) / 2 for name in ("effect", "accuracy", "loss")}
    zero_shot = random.integers(0, 2, (6, 30))
    measured |= {"rank": random.random((6, 5, 3)), "steps": random.random((6, 5)), "zero_shot": zero_shot}
    tables = decoder_rows(measured, [3, 8])
    rows = {(row["score"], row["queries"]): row for row in tables["choice"]}

    def choice(score, count, b):
        """The number of the first best set, and how many are as good; in whole halves, without rounding."""
        sums = (-1 if score == "loss" else 1) * measured[score][b, :, :count].sum(axis=1)
        return [*sums].index(max(sums)), [*sums].count(max(sums)), sums

    tests = {name: measured[name][:, :, 8:].mean(axis=2) for name in ("effect", "accuracy", "loss")}
    for (score, count), row in rows.items():
        chosen = [choice(score, count, b) for b in range(6)]
        accuracy = [tests["accuracy"][b, chosen[b][0]] for b in range(6)]
        by_effect = [tests["accuracy"][b, choice("effect", count, b)[0]] for b in range(6)]
        expected = {
            "accuracy": accuracy,
            "gain": [accuracy[b] - np.mean(tests["accuracy"][b]) for b in range(6)],
            "lead": np.subtract(by_effect, accuracy),
            "tied": [chosen[b][1] for b in range(6)],
            "test": [tests[score][b, chosen[b][0]] for b in range(6)],
            "validation": [measured[score][b, chosen[b][0], :count].mean() for b in range(6)],
            "spearman": [spearmanr(chosen[b][2], tests["accuracy"][b]).statistic for b in range(6)],
        }
        for name, values in expected.items():
            assert row[name] == pytest.approx(np.mean(values), abs=1e-8), (score, count, name)
            error = np.std(values, ddof=1) / np.sqrt(6)
            assert row[f"{name}.stderr"] == pytest.approx(error, abs=1e-8), (score, count, name)
    random_set, best_set, no_set = tables["bounds"]
    assert no_set["accuracy"] == pytest.approx(zero_shot[:, 8:].mean())
    assert random_set["accuracy"] == pytest.approx(tests["accuracy"].mean())
    assert best_set["accuracy"] == pytest.approx(np.mean([max(values) for values in tests["accuracy"]]))


def test_a_draw_without_a_correlation_is_left_out():
    """Where all sets are equally good there is none, and where no draw has one nothing is judged."""
    rows = [
        {"seed": float(seed), "score": "effect", "queries": 4.0, "spearman": value, "gain": 0.1 + 0.01 * seed}
        for seed, value in enumerate(("", 0.3, 0.4))
    ]
    correlation, gained = helps()(Tables(choice=rows))
    assert [*correlation.number.by_seed.values()] == [0.3, 0.4]
    assert len(gained.number.by_seed) == 3
    with pytest.raises(NotMeasured):
        helps()(Tables(choice=[row | {"spearman": ""} for row in rows]))
