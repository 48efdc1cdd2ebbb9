"""Results of `dti` by made-up tables: what claims are judged by, controls, and figures."""

import numpy as np
import pytest

from analysis.figures import style
from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti import drawing
from experiments.clicks.dti.figures import dti, dti_far, dti_learned, dti_long
from experiments.clicks.dti.results import of_parts
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


def tables_of(share, later, part="naive", of_sliding=0.0):
    """Three seeds of one part, AUC at this share of what a window tells beyond the item (.6 to .8) on prompts as in
    training, and at another one on sliding windows, and losses that fall from .7 to .5, by a share `later` of it in the
    second half of the training."""
    place = {"part": part, "targets": 50.0}
    aucs = {"sliding": 0.6 + 0.2 * of_sliding, "streaming": 0.6 + 0.2 * share, "bayes_item": 0.6, "bayes_window": 0.8}
    losses = {0.0: 0.7, 50.0: 0.5 + 0.2 * later, 100.0: 0.5}
    seeds = (0.0, 1.0, 2.0)
    return Tables(
        clicks=[
            Row(place | {"seed": seed, "answers": name, "auc": auc + 1e-4 * seed})
            for seed in seeds
            for name, auc in aucs.items()
        ],
        curves=[
            Row(place | {"step": step, "seed": seed, "loss.streaming": loss + 1e-4 * seed, "loss.sliding": 0.7})
            for step, loss in losses.items()
            for seed in seeds
        ],
    )


@pytest.mark.parametrize(
    ("share", "later", "outcome"),
    [
        (0.9, 0.01, Outcome.HOLDS),
        (0.0, 0.01, Outcome.NOT_REACHED),  # on the plateau: the answer from the item alone
        (0.4, 0.01, Outcome.NOT_REACHED),
        (0.9, 0.3, Outcome.NOT_REACHED),  # half of the steps would have been too few
    ],
)
def test_no_verdict_on_models_that_have_not_learned(share, later, outcome):
    claim = Claim("It is so.", own(), "", lambda _: [above("number", exact(1.0))], controls=of_parts("naive"))
    assert claim.evaluate(tables_of(share, later), {})["outcome"] == outcome


def test_every_claim_on_trained_models_has_controls():
    for figure in (dti, dti_learned, dti_far, dti_long):
        assert all(claim.controls for claim in figure.CLAIMS)
    (used, _) = of_parts("sliding")
    assert not used.judge(tables_of(0.9, 0.0, part="sliding"))[0].met, "sliding windows are its prompts in training"


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
