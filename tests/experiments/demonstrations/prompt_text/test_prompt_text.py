"""`prompt_text` on a tiny budget: from the command to tables, figure and verdicts."""

import dataclasses
import json

import numpy as np
import pytest

from analysis.figures.claim import Outcome
from analysis.tables.in_memory import Tables
from experiments.demonstrations.prompt_text import results
from tests.command_line import lab_here
from tests.run_files import table
from tests.tiny_runs import tiny_run, words_of

pytestmark = pytest.mark.slow  # whole experiments

WORDS = words_of("prompt_text")
OPERATIONS = ["plain", "shrunk", "shrunk", "inverse", "prefix", "prefix_untrained", "shrunk_chosen"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_run(tmp_path_factory, "prompt_text").directory


def test_operations_are_measured_on_the_users_of_the_plain_decoder(folder):
    rows = table(folder, "text")
    for seed in "01":
        of_seed = [row for row in rows if row["seed"] == seed]
        assert [row["operation"] for row in of_seed] == OPERATIONS
        plain = float(of_seed[0]["ndcg_10"])
        for row in of_seed:
            assert float(row["gain"]) == pytest.approx(float(row["ndcg_10"]) - plain, abs=1e-6)
        assert float(of_seed[0]["gain.stderr"]) == 0
        chosen = [row for row in of_seed if row["operation"] == "shrunk" and row["alpha"] == of_seed[-1]["alpha"]]
        assert [row["mrr"] for row in chosen] == [of_seed[-1]["mrr"]]
        assert len({row["mrr"] for row in of_seed}) > 3  # they are different decoders
    likeness = table(folder, "likeness")
    assert {row["learner"] for row in likeness} == {"descent", "ridge"}
    assert all(-1 <= float(row["cosine"]) <= 1 and 0 <= float(row["same_top"]) <= 1 for row in likeness)
    curves = table(folder, "curves")
    assert [(row["seed"], row["learner"], row["step"]) for row in curves] == [
        (seed, name, str(step)) for seed in "01" for name in ("decoder", "prefix") for step in range(4)
    ]
    assert all(float(row["loss"]) > 0 for row in curves)
    summary = json.loads((folder / "summary.json").read_text())
    numbers = summary["numbers"]
    assert any("no counterpart" in note for note in summary["notes"])
    values = [float(row["ndcg_10"]) for row in rows if row["operation"] == "inverse"]
    assert numbers["ndcg_10.inverse"] == pytest.approx(np.mean(values), rel=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["task=plain"], "task=plain: it has no slates to rank; allowed: recommend"),
        (["alpha=[0.5,0.5]"], "alpha=[0.5,0.5]: each once"),
        (["model.num_heads=3"], "model.num_heads=3: must divide model.width=8"),
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
    gains = {"shrunk_chosen": 0.01, "inverse": -0.02, "prefix": 0.03, "prefix_untrained": 0.005}
    rows = [
        {"operation": name, "seed": seed, "gain": sign * gain * (1 + 0.01 * seed), "gain.stderr": 1e-5}
        for name, gain in gains.items() for seed in range(3)
    ]  # fmt: skip
    claims = [dataclasses.replace(claim, controls=()) for claim in results.CLAIMS]
    verdicts = [claim.evaluate(Tables(text=rows), {})["holds"] for claim in claims]
    assert verdicts == [sign > 0] * 3


@pytest.mark.parametrize(
    ("cosine", "later", "outcomes"),
    [
        (0.9, (0.01, 0.01), [Outcome.HOLDS] * 3),
        (0.0, (0.01, 0.01), [Outcome.NOT_REACHED] * 3),  # an untrained decoder
        (0.9, (0.3, 0.01), [Outcome.NOT_REACHED] * 3),
        (0.9, (0.01, 0.3), [Outcome.HOLDS, Outcome.HOLDS, Outcome.NOT_REACHED]),  # the prefix alone
    ],
)
def test_no_verdict_on_a_decoder_that_has_not_learned(cosine, later, outcomes):
    seeds = [0.0, 1.0, 2.0]
    text = [
        {"operation": name, "seed": seed, "gain": gain * (1 + 0.01 * seed), "gain.stderr": 1e-5}
        for name, gain in {"shrunk_chosen": 0.01, "inverse": -0.02, "prefix": 0.03, "prefix_untrained": 0.0}.items()
        for seed in seeds
    ]
    likeness = [{"seed": seed, "learner": "descent", "cosine": cosine + 0.001 * seed} for seed in seeds]
    curves = [
        {"seed": seed, "learner": name, "step": step, "loss": loss + 0.001 * seed}
        for name, share in zip(("decoder", "prefix"), later, strict=True)
        for step, loss in ((0.0, 4.0), (50.0, 3.0 + share), (100.0, 3.0))
        for seed in seeds
    ]
    directory = Tables(text=text, likeness=likeness, curves=curves)
    verdicts = [claim.evaluate(directory, {}, results.CONTROLS)["outcome"] for claim in results.CLAIMS]
    assert verdicts == outcomes
