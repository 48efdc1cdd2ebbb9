"""Results of `dti` by made-up tables: what claims are judged by, and figures."""

import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti import drawing
from experiments.clicks.dti.figures import dti
from experiments.clicks.dti.results import used
from tests.experiments.clicks.dti.made_up import rows_of, verdicts


def test_one_number_of_targets_has_no_slope():
    rows = rows_of(lambda part, targets: (0.8, 0.01), part=["naive"], targets=[50.0])
    assert verdicts(dti.CLAIMS, rows, "mismatch") == [None]


def test_the_figure_has_the_seeds_that_every_part_has():
    """Seeds have users of their own, so that a mean over other seeds would move a line."""
    rows = rows_of(lambda part: (0.8, 0.0), part=["sliding", "naive"])
    fewer = [row for row in rows if row["part"] == "naive" or row["seed"] > 0]
    assert dti._of_common_seeds(rows) == rows
    assert dti._of_common_seeds(fewer) == [row for row in rows if row["seed"] > 0]


def test_sliding_windows_are_what_it_was_trained_on():
    """Not prompts of many targets, which other parts were trained on."""
    aucs = {"sliding": 0.6, "streaming": 0.8, "bayes_item": 0.6, "bayes_window": 0.8}
    for part, share in (("sliding", 0.0), ("naive", 1.0)):
        rows = [{"part": part, "targets": 50.0, "seed": 0.0, "answers": name, "auc": auc} for name, auc in aucs.items()]
        assert used(part).numbers(Tables(clicks=rows))["targets 50"].mean == pytest.approx(share)


def converged():
    """Three seeds of each part."""
    aucs = {"naive": (0.84, 0.01), "dti": (0.85, 0.0), "split": (0.852, 0.003), "own": (0.8505, 0.0),
            "sliding": (0.851, 0.0), "alibi": (0.846, 0.002), "reset": (0.842, 0.006), "no_id": (0.84, 0.006),
            "deep_split": (0.86, 0.0), "shallow_naive": (0.8, 0.0),
            "shallow_split": (0.7, 0.0)}  # fmt: skip
    rows = rows_of(lambda part: aucs[part], part=[*aucs])
    best = [Row(row | {"answers": "bayes_window", "auc": 0.845}) for row in rows if row["answers"] == "streaming"]
    spent = [Row({"part": part, "targets_per_step": 500.0}) for part in aucs]
    curves = [
        Row({"part": part, "seed": seed, "step": step, "auc.sliding": 0.84 - 0.1 / step, "auc.bayes_window": 0.85})
        for part in aucs
        for seed in (0.0, 1.0)
        for step in (100.0, 1000.0, 5000.0)
    ]
    return Tables(clicks=rows + best, spent=spent, curves=curves)


def test_curves_are_drawn_by_targets_and_ends_beside_bayes():
    """Decoders of sliding windows have no other prompts as in training, so they have one end."""
    with style.paper(), style.closed():
        curves, ends = drawing.draw(converged()).axes
        (line,) = [each for each in curves.lines if each.get_label() == "sliding window"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [5e4, 5e5, 2.5e6])
        np.testing.assert_allclose(np.asarray(line.get_ydata(), float), [0.011, 0.0101, 0.01002])
        shown = {each.get_label(): np.asarray(each[0].get_xdata(), float) for each in ends.containers}
    assert {name: len(values) for name, values in shown.items()} == {
        "prompts as in training": 10, "sliding windows": 11
    }  # fmt: skip
    assert shown["sliding windows"][0] == pytest.approx(0.851 + 1e-4 - 0.845)
