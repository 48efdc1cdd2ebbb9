"""`momentum_attention` on a tiny budget: from the command to tables, figure and verdicts."""

import json

import jax
import numpy as np
import pytest

from analysis.figures.claim import Outcome
from analysis.figures.labels import word_of
from analysis.figures.words import in_words, main_names
from analysis.tables.in_memory import Tables
from experiments.duals.momentum_attention import figure as momentum_attention
from experiments.duals.momentum_attention import frequencies
from experiments.duals.momentum_attention.figures import momentum_budgets
from tasks.hmm_mixture import HmmMixture
from tasks.markov import Markov
from tests.command_line import lab_here
from tests.run_files import table
from tests.tiny_runs import tiny_run, words_of

WORDS = words_of("momentum_attention")
VARIANTS = {"none", "eta=0.5", "eta=0.9", "learned", "shift"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_run(tmp_path_factory, "momentum_attention").directory


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
    assert numbers["end.rope.shift"] == pytest.approx(np.mean(ends), rel=1e-5)


@pytest.mark.slow
def test_a_learned_eta_is_one_per_layer_and_head(folder):
    rows = table(folder, "etas")
    assert len(rows) == 2 * 2 * 5 * 2 * 2
    first, last = (np.array([float(row["eta"]) for row in rows if row["step"] == step]) for step in "08")
    np.testing.assert_array_equal(first, 0.5)
    assert ((last != 0.5) & (abs(last - 0.5) < 0.02)).all()  # eight steps of Adam at .003 at most, slope 1/4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["task=plain"], "task=plain: its queries are no sequence; allowed: markov, hmm_mixture"),
        (["train.steps=6"], "train.eval_every=2: must divide half of train.steps=6"),
        (["model.num_heads=3"], "model.num_heads=3: must divide model.width=8"),
        (["model.num_heads=8"], "positions=rope: model.width / model.num_heads must be even"),
        (["eta=[0.5,0.5]"], "eta=[0.5,0.5]: each once"),
        (["eta=[1.5]"], "eta=[1.5]: must be > 0 and <= 1"),
    ],
)
def test_settings_that_exclude_each_other(words, message, tmp_path):
    drop = [word for word in WORDS if not (word.startswith("task.") and words == ["task=plain"])]
    done = lab_here(*drop, *words, cwd=tmp_path)
    assert done.returncode
    assert message in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("kind", [Markov, HmmMixture])
def test_frequencies_are_those_of_the_symbols_so_far(kind, float64):
    """Counted by hand, one query at a time, and the best of the smoothings."""
    task = kind(num_context=5, num_symbols=3)
    symbols_BxT = np.asarray(task.draw(jax.random.key(0), 4))
    by_smoothing = []
    for smoothing in frequencies.SMOOTHING:
        losses = []
        for sequence in symbols_BxT:
            for t in range(5):
                counts = np.bincount(sequence[: t + 1], minlength=3) + smoothing
                losses.append(-np.log(counts[sequence[t + 1]] / counts.sum()))
        by_smoothing.append(np.mean(losses))
    measured = frequencies.loss_by_frequencies(task, task.episodes(symbols_BxT))
    assert float(measured) == pytest.approx(min(by_smoothing), rel=1e-9)
    assert min(by_smoothing) < max(by_smoothing)


def tables(gains, at_half=0.0, by_frequencies=2.5):
    """Curves whose losses fall from 3 to 2 less a variant's gain, and are at half of the steps `at_half` above that."""
    rows = []
    for kind in ("none", "rope"):
        for name, gain in gains.items():
            for seed in range(3):
                end = 2 - gain * (1 + 0.01 * seed)
                rows += [
                    {"positions": kind, "variant": name, "step": step, "seed": seed, "loss": loss,
                     "frequencies": by_frequencies, "accuracy": 1 - loss / 4}
                    for step, loss in ((0.0, 3.0), (2.0, end + at_half), (4.0, end))
                ]  # fmt: skip
    return Tables(curves=rows)


def judged(directory):
    return [claim.evaluate(directory, {}, momentum_attention.CONTROLS) for claim in momentum_attention.CLAIMS]


@pytest.mark.parametrize("sign", [1, -1])
def test_verdicts_follow_the_numbers(sign):
    gains = {"none": 0.0, "eta=0.5": sign * 0.1, "shift": sign * 0.05}
    assert [verdict["holds"] for verdict in judged(tables(gains))] == [sign > 0] * 5
    del gains["shift"]
    assert [verdict["holds"] for verdict in judged(tables(gains))] == [
        sign > 0, sign > 0, None, None, sign > 0
    ]  # fmt: skip


GAINS = {"none": 0.0, "eta=0.5": 0.1, "shift": 0.05}


def test_no_verdict_where_no_decoder_learns_transitions():
    """With momentum or without; it is enough that one of them does, since the other is what a claim is about."""
    assert {verdict["outcome"] for verdict in judged(tables(GAINS, by_frequencies=1.8))} == {Outcome.NOT_REACHED}
    assert {verdict["outcome"] for verdict in judged(tables(GAINS, by_frequencies=1.95))} == {Outcome.HOLDS}


def test_no_verdict_on_the_end_while_training_is_under_way():
    """A budget that is too small: claims on how fast it goes are judged, those on the end are not."""
    outcomes = [verdict["outcome"] for verdict in judged(tables(GAINS, at_half=0.2))]
    later = Outcome.NOT_REACHED
    assert outcomes == [Outcome.HOLDS, later, Outcome.HOLDS, later, later]


@pytest.mark.slow
def test_columns_before_the_step_say_which_curve_it_is(folder):
    """Shared figures and controls take a row's columns before the step as the name of its curve."""
    rows = table(folder, "curves")
    assert list(rows[0])[:4] == ["positions", "variant", "step", "seed"]


@pytest.mark.slow
def test_labels_keep_the_point_of_a_rate(folder):
    for name in main_names(json.loads((folder / "summary.json").read_text())["numbers"]):
        variant = name.split(".", 2)[2]
        shown = {"learned": "learned", "shift": "previous token alone", "none": "none"}.get(variant, variant)
        assert word_of("momentum_attention", name).label.endswith(f" positions, {shown}")
    assert in_words("half.none.eta=0.1") == "half, none, eta=0.1"


def budgets(early, late, by_frequencies=2.5):
    """Ends of two trainings. early, late: {variant: how far below 2 its loss is}."""
    rows = []
    for part, steps, gains in (("steps_1000", 1000.0, early), ("steps_3000", 3000.0, late)):
        for name, gain in gains.items():
            for seed in range(3):
                for step, loss in ((0.0, 3.0), (steps, 2 - gain * (1 + 0.01 * seed))):
                    rows.append(
                        {"part": part, "variant": name, "step": step, "seed": seed, "loss": loss,
                         "frequencies": by_frequencies, "accuracy": 1 - loss / 4}
                    )  # fmt: skip
    return Tables(curves=rows)


BETTER = {"none": 0.0, "eta=0.5": 0.1, "learned": 0.2}
WORSE = {"none": 0.0, "eta=0.5": -0.1, "learned": 0.2}


@pytest.mark.parametrize(
    ("early", "late", "holds"),
    [(BETTER, BETTER, [True] * 3), (BETTER, WORSE, [False] * 2 + [True]), (WORSE, WORSE, [False] * 2 + [True])],
)
def test_verdicts_need_both_budgets(early, late, holds):
    verdicts = [
        claim.evaluate(budgets(early, late), {}, momentum_budgets.CONTROLS) for claim in momentum_budgets.CLAIMS
    ]
    assert [verdict["holds"] for verdict in verdicts] == holds
    untrained = budgets(early, late, by_frequencies=1.5)
    verdicts = [claim.evaluate(untrained, {}, momentum_budgets.CONTROLS) for claim in momentum_budgets.CLAIMS]
    assert {verdict["outcome"] for verdict in verdicts} == {Outcome.NOT_REACHED}
