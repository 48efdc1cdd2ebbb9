"""`momentum_attention` on a tiny budget: from the command to tables, figure and verdicts."""

import json

import numpy as np
import pytest

from experiments.momentum_attention import figure as momentum_attention
from lab.config.compose import register
from tests.command_line import lab_here
from tests.run_files import table
from tests.tables import Tables
from tests.tiny_runs import tiny_run, words_of

register()
WORDS = words_of("momentum_attention")
VARIANTS = {"none", "eta=0.5", "eta=0.9", "learned", "shift"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_run(tmp_path_factory, "momentum_attention").directory


def test_variants_share_weights_batches_and_sequences(folder):
    rows = table(folder, "curves")
    assert len(rows) == 2 * len(VARIANTS) * 2 * 5
    assert {row["variant"] for row in rows} == VARIANTS
    for seed in "01":
        of_seed = [row for row in rows if row["seed"] == seed]
        assert len({row["floor"] for row in of_seed}) == 1
        begin = {(row["variant"], row["positions"]): float(row["loss"]) for row in of_seed if row["step"] == "0"}
        # before training, the learned average is that of its first eta
        np.testing.assert_allclose(begin["learned", "rope"], begin["eta=0.5", "rope"], rtol=1e-6)
        assert len({*begin.values()}) >= 2 * (len(VARIANTS) - 1)
    np.testing.assert_allclose(
        [float(row["excess"]) for row in rows], [float(row["loss"]) - float(row["floor"]) for row in rows], atol=1e-6
    )
    numbers = json.loads((folder / "summary.json").read_text())["numbers"]
    ends = [float(row["excess"]) for row in rows
            if (row["positions"], row["variant"], row["step"]) == ("rope", "shift", "8")]  # fmt: skip
    assert numbers["end.rope.shift"] == pytest.approx(np.mean(ends), rel=1e-5)


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


@pytest.mark.parametrize("sign", [1, -1])
def test_verdicts_follow_the_numbers(sign):
    gains = {"none": 0.0, "eta=0.5": 0.1, "shift": 0.05}
    rows = [
        {"positions": kind, "variant": name, "seed": seed, "step": step, "loss": 2 - sign * gain * (1 + 0.01 * seed)}
        for kind in ("none", "rope") for name, gain in gains.items() for seed in range(3) for step in (0.0, 2.0, 4.0)
    ]  # fmt: skip
    verdicts = [claim.evaluate(Tables(curves=rows), {})["holds"] for claim in momentum_attention.CLAIMS]
    assert verdicts == [sign > 0] * 3
    without = [row for row in rows if row["variant"] != "shift"]
    assert momentum_attention.CLAIMS[2].evaluate(Tables(curves=without), {})["holds"] is None
