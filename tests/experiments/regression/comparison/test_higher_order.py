"""Preconditioned descent, Newton and GD++ that reads targets beside a trained Transformer."""

import pytest

from analysis.tables.in_memory import Tables
from experiments.regression.comparison.figures import higher_order
from tests.command_line import TINY, lab_here
from tests.run_files import directory_of, table

LOSSES = {  # at 1 and 2 layers
    "gradient_descent": (0.2, 0.15),
    "newton": (0.2, 0.15),
    "preconditioned": (0.19, 0.14),
    "gd_plus_plus": (0.2, 0.1),
    "four_rates": (0.2, 0.09),
    "transformer": (0.19, 0.09),
}


def directory():
    """Of three seeds, alike in all parts."""
    rows = [
        {"part": part, "num_layers": layers, "seed": seed, "evaluation": "test", "learner": learner,
         "loss": losses[layers - 1] * (1 + 0.1 * seed)}
        for part in higher_order.TITLES
        for learner, losses in LOSSES.items()
        for layers in (1, 2)
        for seed in range(3)
    ]  # fmt: skip
    return Tables(seeds=rows)


def test_the_figure_has_every_learner_in_every_panel():
    figure = higher_order.draw(directory())
    assert [len(axes.containers) for axes in figure.axes] == [len(LOSSES)] * 2


@pytest.mark.slow
def test_learners_of_higher_order_are_trained_and_compared(tmp_path):
    words = ["task=skewed", "baselines.higher_order=true", "model.num_layers=2", "model.recurrent=false"]
    done = lab_here("experiment=plain", *TINY, *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    learners = {row["learner"]: row["mean"] for row in table(directory_of(tmp_path), "learners")}
    assert {"preconditioned", "newton", "four_rates"} <= learners.keys()
    assert learners["four_rates"] != learners["gd_plus_plus"]
    refused = lab_here("experiment=plain", *TINY, *words, "model.clip=10", cwd=tmp_path)
    assert "baselines.higher_order=false" in refused.stderr
