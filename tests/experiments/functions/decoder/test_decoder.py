"""The kind `decoder`: a tiny run from the command to its tables, the decoder that it keeps, and its claim."""

import numpy as np
import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.functions.decoder import results
from lab.config import points
from tests.command_line import ran
from tests.run_files import directory_of, table
from tests.tiny_runs import words_of
from trainers.record import Record

TINY = words_of("decoder")


def test_a_run_measures_every_number_of_examples(tiny):
    assert tiny.summary["together"] == {"models": 2, "runs": 1}
    rows = table(tiny.directory, "by_examples")
    assert [(row["examples"], row["learner"]) for row in rows[:2]] == [("0", "decoder"), ("0", "optimal")]
    assert {row["examples"] for row in rows} == {"0", "1", "2", "4"}
    decoder, optimal = rows[-2:]
    assert float(decoder["accuracy_excess"]) == pytest.approx(float(decoder["accuracy"]) - float(optimal["accuracy"]))
    curves = table(tiny.directory, "curves")
    assert {(row["step"], row["seed"]) for row in curves} == {(step, seed) for step in "024" for seed in "01"}
    assert len({row["loss.optimal"] for row in curves if row["seed"] == "0"}) == 1
    assert float(curves[-1]["loss.decoder"]) < float(curves[1]["loss.decoder"])


def test_the_decoder_that_it_keeps_is_the_one_that_was_measured(tiny, monkeypatch):
    import jax
    import jax.numpy as jnp

    from analysis.metrics.answers import evaluate
    from tasks.shifted_classes import ShiftedClasses
    from tasks.wrapper import Prefix
    from trainers.streams import Stream

    monkeypatch.chdir(tiny.folder)
    settings = points.point(TINY).settings
    kept = Record(settings, "").trained(TINY, member=1)["decoder"]
    task = Prefix(ShiftedClasses(num_context=4, world=1), jnp.asarray(2))  # of the second seed
    key = jax.random.fold_in(jax.random.key(1), Stream.validation)
    answers = evaluate({"decoder": kept}, {"": task}, key, 50, sensitivity=False)[""]["decoder"]
    (row,) = [
        row
        for row in table(tiny.directory, "seeds")
        if (row["seed"], row["examples"], row["learner"]) == ("1", "2", "decoder")
    ]
    assert float(row["loss"]) == pytest.approx(np.mean(answers.loss), rel=1e-4)


@pytest.mark.slow
def test_labels_with_noise_leave_the_optimal_answer_open(tmp_path):
    done = ran(*TINY, "task.label_noise=0.5", "model.positions=rope", "model.layout=interleaved", cwd=tmp_path)
    assert {row["accuracy"] for row in table(directory_of(tmp_path), "by_examples") if row["learner"] == "optimal"} == {
        ""
    }
    assert "not measured" in done.stdout.lower()


def seeds(*excesses):
    return [
        {"seed": seed, "examples": examples, "learner": "decoder", "accuracy_excess": excess,
         "accuracy_excess.stderr": 0.001, "accuracy": accuracy + excess, "accuracy.stderr": 0.002}
        for seed, excess in enumerate(excesses)
        for examples, accuracy in ((0.0, 0.55), (4.0, 0.85))
    ]  # fmt: skip


def judged(count, rows):
    curves = [
        {"step": step, "seed": seed, "loss.decoder": loss * (1 + 0.001 * seed)}
        for step, loss in ((0.0, 1.4), (2.0, 0.5), (4.0, 0.5))
        for seed in range(count)
    ]
    (claim,) = results.CLAIMS
    return claim.evaluate(Tables(seeds=rows, curves=curves), {}, results.CONTROLS)


@pytest.mark.parametrize(
    ("excesses", "holds"),
    [
        ((-0.005,), True),
        ((-0.02,), False),
        ((-0.0095,), None),
        ((-0.004, -0.005, -0.006), True),
        ((-0.004, -0.012), None),
    ],
)
def test_the_claim_is_judged_over_seeds_or_over_episodes_of_one(excesses, holds):
    verdict = judged(len(excesses), seeds(*excesses))
    assert verdict["holds"] is holds
    assert verdict["outcome"] != Outcome.NOT_REACHED
