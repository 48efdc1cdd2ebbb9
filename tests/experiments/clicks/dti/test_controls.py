"""Controls of the claims on click models."""

import pytest

from analysis.figures.cited import own
from analysis.figures.claim import Claim, Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti.figures import dti, dti_far, dti_learned, dti_long
from experiments.clicks.dti.results import of_parts


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
