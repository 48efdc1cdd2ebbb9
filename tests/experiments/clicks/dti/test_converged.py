"""What the claims on click models that are trained for long are judged by, and their figures."""

import numpy as np
import pytest

from analysis.figures import style
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti.figures import dti_converged, dti_early, dti_far, dti_learned, dti_long
from tests.experiments.clicks.dti.made_up import rows_of, uncontrolled, verdicts

SPENT = {"naive": 10.0, "split": 10.0, "own": 12.0, "dti": 12.0, "sliding": 70.0,
         "alibi": 10.0, "reset": 12.0, "no_id": 10.0, "naive_10": 16.0, "deep_split": 13.0, "shallow_naive": 7.0,
         "shallow_split": 7.0}  # fmt: skip


def converged(better):
    """Tables of `dti_converged` and `dti_long`, three seeds: what the lab expects is so (`better`) or the reverse."""
    sign = 1 if better else -1
    aucs = {"naive": (0.84, 0.01 * sign), "dti": (0.85, 0.0), "split": (0.852, 0.003 * sign), "own": (0.8505, 0.0),
            "sliding": (0.851 if better else 0.8, 0.0),
            "alibi": (0.84 + 0.006 * sign, 0.002), "reset": (0.84 + 0.002 * sign, 0.002 + 0.004 * sign),
            "no_id": (0.84, 0.006 * sign), "naive_10": (0.845 if better else 0.82, 0.005 * sign),
            "deep_split": (0.86 if better else 0.7, 0.0), "shallow_naive": (0.8, 0.0),
            "shallow_split": (0.8 - 0.1 * sign, 0.0)}  # fmt: skip
    if not better:
        aucs |= {"dti": (0.79, 0.0), "split": (0.79, -0.003), "own": (0.79, 0.0)}
    rows = rows_of(lambda part: aucs[part], part=[*aucs])
    for row in rows:
        row["targets"] = {"sliding": 1.0, "naive_10": 10.0}.get(row["part"], 50.0)
        row["f1"] = row["f1"] ** 2  # falls by twice the share that AUC falls by
    for part, (auc, gap) in aucs.items():
        for seed in (0.0, 1.0, 2.0):
            place = {"part": part, "seed": seed, "log_loss": 0.5, "f1": 0.7, "gap.auc": 0.0}
            place["targets"] = {"sliding": 1.0, "naive_10": 10.0}.get(part, 50.0)
            rows.append(Row(place | {"answers": "bayes_window", "auc": 0.845 + 1e-4 * seed}))
            (streaming,) = [r for r in rows if r["part"] == part and r["seed"] == seed and r["answers"] == "streaming"]
            streaming["auc"] = auc + gap + 1e-4 * seed
    spent = [
        Row({"part": part, "targets": 50.0, "models": 3.0, "milliseconds": each, "targets_per_step": 500.0,
             "device": "a processor", "steps": 5000.0})
        for part, each in SPENT.items()
    ]  # fmt: skip
    curves = [
        Row({"part": part, "seed": seed, "step": step, "auc.sliding": 0.84 - 0.1 / step, "auc.bayes_window": 0.85})
        for part in aucs
        for seed in (0.0, 1.0)
        for step in (100.0, 1000.0, 5000.0)
    ]
    return Tables(clicks=rows, spent=spent, curves=curves)


@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize(
    ("claims", "count"),
    [
        (dti_long.CLAIMS, 4),
        (dti_far.CLAIMS, 2),
        (dti_learned.CLAIMS, 1),
        (dti_early.CLAIMS, 5),
    ],
)
def test_verdicts_on_converged_models_follow_the_numbers(claims, count, better):
    holds = [claim.evaluate(converged(better), {}, ())["holds"] for claim in uncontrolled(claims)]
    assert holds == [better] * count


def test_positions_do_not_matter_more_because_a_reset_does_harm():
    values = {"naive": (0.7, 0.0), "alibi": (0.75, 0.0), "reset": (0.6, 0.0)}
    rows = rows_of(lambda part: values[part], part=[*values])
    assert verdicts(dti_early.CLAIMS, rows, "positions matter more") == [False]


def test_curves_are_drawn_by_targets_and_by_time():
    with style.paper():
        figure = dti_converged.draw(converged(True))
        seen, time, _ = figure.axes
        (line,) = [each for each in time.lines if each.get_label() == "DTI-"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [1.0, 10.0, 50.0])  # 10 ms a step
        np.testing.assert_allclose(np.asarray(line.get_ydata(), float), [0.011, 0.0101, 0.01002])
        (line,) = [each for each in seen.lines if each.get_label() == "sliding window"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [5e4, 5e5, 2.5e6])
        style.plt.close(figure)
        figure = dti_long.draw(converged(True))
        (line,) = [each for each in figure.axes[0].lines if each.get_label() == "sliding window"]
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), [5e4, 5e5, 2.5e6])
    style.plt.close(figure)
