"""`curriculum` on a tiny budget: with and without one in one program; its settings; the end of a plateau."""

import numpy as np
import pytest

from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from experiments.functions.functions.figures import curriculum_plateau
from experiments.functions.functions.run import training_of
from lab.config.compose import compose
from tasks.curriculum import Curriculum
from tests.command_line import lab_once
from tests.experiments.functions.functions.test_functions import SMALL
from tests.run_files import check_experiment, directory_of
from trainers.population import at, members

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


def curves(factor, every=1):
    """Tables in which losses with the curriculum become this factor of those without."""
    rows = [
        {"part": part, "seed": seed, "step": float(step), "loss.optimal": 0.2,
         "loss.decoder": (1 - step / 10) * (1 + (value - 1) * step / 8) + 1e-3 * seed}
        for part, value in (("whole", 1.0), ("growing", factor)) for seed in range(3) for step in range(0, 9, every)
    ]  # fmt: skip
    return Tables(curves=rows)


def test_the_end_of_a_plateau_is_between_two_evaluations():
    """Without a curriculum .2 of the loss are gone after two of ten steps: a quarter of what the optimal answer lacks.

    Adding 1e-3 to all losses of a seed moves the quarter by .25e-3, so the step by 2.5e-3.
    """
    ends = curriculum_plateau.left_at(curves(0.5), "whole").by_seed
    np.testing.assert_allclose([ends[seed] for seed in (0.0, 1.0, 2.0)], [2.0, 2.0025, 2.005], rtol=1e-12)
    with pytest.raises(NotMeasured, match="growing: seed 0 comes so far before the first evaluation"):
        curriculum_plateau.left_at(curves(0.5, every=2), "growing")
    with pytest.raises(NotMeasured, match="growing: seed 0 has not come so far"):
        curriculum_plateau.left_at(curves(9.0), "growing")
