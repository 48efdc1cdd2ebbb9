"""What the claims on the number of targets are judged by."""

from experiments.clicks.dti.figures import dti
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
