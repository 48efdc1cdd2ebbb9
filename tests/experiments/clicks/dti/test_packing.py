"""What the claims on the number of targets are judged by."""

import numpy as np
import pytest

from analysis.tables.select import Row
from experiments.clicks.dti.figures import dti
from tests.experiments.clicks.dti.made_up import rows_of, verdicts


@pytest.mark.parametrize("is_worse", [True, False])
def test_verdicts_on_dti_follow_the_numbers(is_worse):
    sign = -1 if is_worse else 1

    def auc_of(part, targets):
        return 0.8 + sign * 0.01 * np.log(targets), 0.002 * -sign * np.log(targets)

    rows = rows_of(auc_of, part=["sliding"], targets=[1.0]) + rows_of(
        auc_of, part=["naive", "dti"], targets=[5.0, 50.0]
    )
    of_source = [claim for claim in dti.CLAIMS if str(claim.source).startswith("DTI, ")]
    assert verdicts(of_source, rows) == [is_worse, is_worse, not is_worse, not is_worse]


@pytest.mark.parametrize(("lost", "is_near"), [(0.001, True), (0.003, False)])
def test_dti_is_near_where_it_is_so_for_every_number_of_targets(lost, is_near):
    """Of an AUC of .8 .2% are .0016."""
    below_sliding = {5.0: lost, 50.0: 0.0}
    rows = rows_of(lambda part, targets: (0.8, 0.0), part=["sliding"], targets=[1.0])
    rows += rows_of(lambda part, targets: (0.8 - below_sliding[targets], 0.0), part=["dti"], targets=[5.0, 50.0])
    assert verdicts(dti.CLAIMS, rows, "DTI is as good") == [is_near]


@pytest.mark.parametrize(("least", "leaks"), [(0.001, True), (-0.001, False)])
def test_a_leak_is_what_is_above_the_best_answer_from_a_window(least, leaks):
    """On prompts as in training, for every number of targets."""
    rows = rows_of(lambda part, targets: (0.8, 0.0), part=["naive"], targets=[5.0, 50.0])
    best = [Row(row | {"answers": "bayes_window"}) for row in rows if row["answers"] == "streaming"]
    for row in best:
        row["auc"] = row.number("auc") - (least if row["targets"] == 5 else 0.01)
    assert verdicts(dti.CLAIMS, rows + best, "learns to use") == [leaks]


def test_one_number_of_targets_has_no_slope():
    rows = rows_of(lambda part, targets: (0.8, 0.01), part=["naive"], targets=[50.0])
    assert verdicts(dti.CLAIMS, rows, "mismatch") == [None]


def test_the_figure_has_the_seeds_that_every_part_has():
    """Seeds have users of their own, so that a mean over other seeds would move a line."""
    rows = rows_of(lambda part: (0.8, 0.0), part=["sliding", "naive"])
    fewer = [row for row in rows if row["part"] == "naive" or row["seed"] > 0]
    assert dti._of_common_seeds(rows) == rows
    assert dti._of_common_seeds(fewer) == [row for row in rows if row["seed"] > 0]
