"""`momentum_attention` on a tiny budget: from the command to its tables."""

import json

import jax
import numpy as np
import pytest

from analysis.figures.labels import main_names, word_of
from experiments.duals.momentum_attention import run
from tasks.hmm_mixture import HmmMixture
from tasks.symbols import Markov
from tests.run_files import table

VARIANTS = {"none", "eta=0.5", "eta=0.9", "learned", "shift"}


@pytest.mark.slow
def test_variants_share_weights_batches_and_sequences(folder):
    rows = table(folder, "curves")
    assert len(rows) == 2 * len(VARIANTS) * 2 * 5
    assert {row["variant"] for row in rows} == VARIANTS
    for seed in "01":
        of_seed = [row for row in rows if row["seed"] == seed]
        assert [len({row[name] for row in of_seed}) for name in ("floor", "frequencies")] == [1, 1]
        assert float(of_seed[0]["floor"]) < float(of_seed[0]["frequencies"]) < np.log(3)
        begin = {(row["variant"], row["positions"]): float(row["loss"]) for row in of_seed if row["step"] == "0"}
        # before training, the learned average is that of its first eta
        np.testing.assert_allclose(begin["learned", "rope"], begin["eta=0.5", "rope"], rtol=1e-6)
        assert len({*begin.values()}) >= 2 * (len(VARIANTS) - 1)
    np.testing.assert_allclose(
        [float(row["excess"]) for row in rows], [float(row["loss"]) - float(row["floor"]) for row in rows], atol=1e-6
    )
    right = np.array([float(row["accuracy"]) * 10 * 6 for row in rows])  # of 10 sequences with 6 queries
    np.testing.assert_allclose(right, np.round(right), atol=1e-4)
    assert len({*right.round()}) > 5
    numbers = json.loads((folder / "summary.json").read_text())["numbers"]
    ends = [float(row["excess"]) for row in rows
            if (row["positions"], row["variant"], row["step"]) == ("rope", "shift", "8")]  # fmt: skip
    assert numbers["end.rope, shift"] == pytest.approx(np.mean(ends), rel=1e-5)


@pytest.mark.slow
def test_a_learned_eta_is_one_per_layer_and_head(folder):
    rows = table(folder, "etas")
    assert len(rows) == 2 * 2 * 5 * 2 * 2
    first, last = (np.array([float(row["eta"]) for row in rows if row["step"] == step]) for step in "08")
    np.testing.assert_array_equal(first, 0.5)
    assert ((last != 0.5) & (abs(last - 0.5) < 0.02)).all()  # eight steps of Adam at .003 at most, slope 1/4


@pytest.mark.parametrize("kind", [Markov, HmmMixture])
def test_frequencies_are_those_of_the_symbols_so_far(kind, float64):
    """Counted by hand, one query at a time, and the best of the smoothings."""
    task = kind(num_context=5, num_symbols=3)
    symbols_BxT = np.asarray(task.draw(jax.random.key(0), 4))
    by_smoothing = []
    for smoothing in run.SMOOTHING:
        losses = []
        for sequence in symbols_BxT:
            for t in range(5):
                counts = np.bincount(sequence[: t + 1], minlength=3) + smoothing
                losses.append(-np.log(counts[sequence[t + 1]] / counts.sum()))
        by_smoothing.append(np.mean(losses))
    measured = run.loss_by_frequencies(task, task.episodes(symbols_BxT))
    assert float(measured) == pytest.approx(min(by_smoothing), rel=1e-9)
    assert min(by_smoothing) < max(by_smoothing)


@pytest.mark.slow
def test_columns_before_the_step_say_which_curve_it_is(folder):
    """Shared figures and controls take a row's columns before the step as the name of its curve."""
    rows = table(folder, "curves")
    assert list(rows[0])[:4] == ["positions", "variant", "step", "seed"]


@pytest.mark.slow
def test_labels_keep_the_point_of_a_rate(folder):
    names = main_names(json.loads((folder / "summary.json").read_text())["numbers"])
    assert "half.rope, eta=0.5" in names
    assert word_of("momentum_attention", "half.rope, eta=0.5").label == "excess at half, rope, eta=0.5"
