"""Verdicts on tables whose order is known."""

import dataclasses
import itertools

import pytest

from analysis.tables.in_memory import Tables
from experiments.recommendation.language_recommend.results import ALONE, BEHIND_OTHERS, BEHIND_OWN, CLAIMS, PRIOR

FITTED = ["markov", "gru", "sasrec"]


@pytest.mark.parametrize(
    ("order", "holds"),
    [
        ([PRIOR, *FITTED, ALONE, BEHIND_OTHERS, BEHIND_OWN], [True, True, True]),
        ([PRIOR, ALONE, BEHIND_OWN, BEHIND_OTHERS, *FITTED], [True, False, False]),
        ([ALONE, BEHIND_OTHERS, "gru", "sasrec", BEHIND_OWN, PRIOR, "markov"], [True, True, False]),
    ],
)
def test_verdicts_follow_the_numbers(order, holds):
    """Of sampled candidates alone: a language model has no row for all items."""
    values = {name: 0.2 + 0.05 * place for place, name in enumerate(order)}
    rows = [
        {"split": "leave_one_out", "candidates": "sampled", "seed": seed, "learner": a, "other": b,
         "difference": (values[a] - values[b]) * (1 + 0.01 * seed), "difference.stderr": 1e-4}
        for a, b in itertools.combinations(order, 2) for seed in range(3)
    ]  # fmt: skip
    claims = [dataclasses.replace(claim, controls=()) for claim in CLAIMS]
    assert [claim.evaluate(Tables(differences=rows), {})["holds"] for claim in claims] == holds
