"""`curriculum` on a tiny budget: with and without one in one program; its settings; its claims on made-up tables."""

import dataclasses

import pytest

from experiments.functions.figures import curriculum
from experiments.functions.run import training_of
from lab.config.compose import compose, register
from tasks.curriculum import Curriculum
from tests.command_line import check_refused, lab_here, lab_once
from tests.experiments.functions.test_functions import SMALL
from tests.run_files import check_experiment, directory_of
from tests.tables import Tables
from trainers.population import at, members

register()
WORDS = ["experiment=curriculum", *SMALL]


@pytest.mark.slow
def test_with_and_without_are_one_program(tmp_path_factory, drawn):
    words = [*WORDS, "parts.growing=['curriculum.every=2','curriculum.inputs=1','curriculum.examples=2']"]
    done, folder = lab_once(tmp_path_factory, "curriculum", words)
    assert done.returncode == 0, done.stderr
    summary = check_experiment(directory_of(folder), "curriculum")
    assert {point["together"]["runs"] for point in summary["points"].values()} == {2}


def test_nothing_is_masked_where_nobody_has_a_curriculum():
    words = ["kind=functions", *SMALL]
    plain, growing = compose(words), compose([*words, "curriculum.every=2"])
    member = at(members([plain]), 0)
    assert training_of([plain])(member) is member.task
    assert isinstance(training_of([plain, growing])(member), Curriculum)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["curriculum.every=1.5"], "curriculum.every=1.5: must be a whole number"),
        (["curriculum.inputs=0"], "curriculum.inputs=0.0: must be >= 1"),
        (["curriculum.every=2", "curriculum.inputs=50"], "curriculum.inputs=50: must be <= task.input_dim="),
        (["curriculum.every=2", "curriculum.examples=50"], "curriculum.examples=50: must be <= task.num_context="),
        (["curriculum.every=-1"], "curriculum.every=-1"),
        (["task=logistic", "curriculum.every=2"], "curriculum.every: curricula are of real functions"),
    ],
)
def test_settings_that_do_not_fit_are_one_line(words, message, tmp_path):
    check_refused(lab_here("kind=functions", "name=mine", *words, cwd=tmp_path), message)


class Directory(Tables):
    def read_config(self):
        return {"task": {"input_dim": 2}}


@pytest.mark.parametrize(
    ("factor", "end", "expected"), [(0.5, 1.0, [True, True]), (1.5, 1.05, [False, True]), (0.9, 1.3, [True, False])]
)
def test_verdicts_follow_the_numbers(factor, end, expected):
    """factor: of the losses on the way, with the curriculum over without; end: of the errors at the end."""
    curves = [
        {"part": part, "seed": seed, "step": step, "loss.decoder": (1 - step / 10) * value + 1e-3 * seed}
        for part, value in (("whole", 1.0), ("growing", factor))
        for seed in range(3) for step in (0.0, 2.0, 4.0, 6.0, 8.0)
    ]  # fmt: skip
    seeds = [
        {"part": part, "seed": seed, "examples": 2.0, "learner": "decoder", "error": value + 1e-3 * seed}
        for part, value in (("whole", 1.0), ("growing", end)) for seed in range(3)
    ]  # fmt: skip
    claims = [dataclasses.replace(claim, controls=()) for claim in curriculum.CLAIMS]
    assert [claim.evaluate(Directory(curves=curves, seeds=seeds), {})["holds"] for claim in claims] == expected
