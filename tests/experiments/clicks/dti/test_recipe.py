"""What the claims on optimisers are judged by."""

import itertools

import pytest

from analysis.tables.in_memory import Tables
from analysis.tables.select import Row
from experiments.clicks.dti.figures import dti_recipe


@pytest.mark.parametrize(("stay", "expected"), [((), [True]), ((4,), [False]), (range(6), [False])])
def test_verdicts_on_optimisers_follow_the_numbers(stay, expected):
    """With their controls. One seed that stays on the plateau refutes the claim."""
    rows = []
    for part, seed in itertools.product(("adamw", "muon"), range(6)):
        auc = (0.65 if seed in stay else 0.83) if part == "muon" else 0.82
        place = {"part": part, "seed": float(seed), "targets": 50.0}
        aucs = {"sliding": auc + 1e-4 * seed, "streaming": auc, "bayes_item": 0.64, "bayes_window": 0.86}
        rows += [Row(place | {"answers": answers, "auc": value}) for answers, value in aucs.items()]
    assert [claim.evaluate(Tables(clicks=rows), {}, ())["holds"] for claim in dti_recipe.CLAIMS] == expected
