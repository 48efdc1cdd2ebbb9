"""Claims on trained models have no verdict where training was under way, on the kept tables of every kind.

That something must have been learned is among the bounds of test_results.py.
"""

import dataclasses
import itertools
import math

import pytest

from analysis import figures
from analysis.figures.claim import Outcome
from analysis.figures.estimates import exact
from analysis.figures.evidence import above
from analysis.tables.columns import Curves, Table
from lab.config.kinds import KINDS
from tests.experiments.test_results import KEPT, Moved

TRAINED = [name for each in KINDS.values() for name in each.figures if (KEPT / name / "curves.csv").is_file()]
ABOUT_TRAINING = (  # words of claims about the course of a training, and of claims that hold at any step
    "moves with training",
    "however long training is",
    "learns faster",
    "helps early",
    "curriculum",
    "more stable than",
    "The order of examples tells",
    "With every seed a second softmax head",  # no training leaves the plateau of a seed that failed
)


def train(rows: list[dict], pace: float) -> None:
    """Let every column of the curves go evenly from its first value to its last, which it reaches after 1 / pace of the
    steps.
    """
    first = [*rows[0]].index(Curves.STEP)
    names = [name for name in [*rows[0]][first + 1 :] if name != Curves.SEED]
    places: dict[tuple, list[dict]] = {}
    for row in rows:
        places.setdefault((*(row[name] for name in [*row][:first]), row[Curves.SEED]), []).append(row)
    for place, name in itertools.product(places.values(), names):
        measured = [row for row in place if isinstance(row[name], float) and math.isfinite(row[name])]
        steps, values = ([row[key] for row in measured] for key in (Curves.STEP, name))
        for row, share in zip(measured, shares(steps), strict=True):
            row[name] = values[0] + min(1.0, pace * share) * (values[-1] - values[0])


def shares(steps: list[float]) -> list[float]:
    """Return the share of the training that each step has behind it."""
    return [(step - steps[0]) / (steps[-1] - steps[0] or 1.0) for step in steps]


def judged(figure: str, pace: float) -> set[str]:
    """Return the claims with controls that have a verdict where their criteria are met, or refuted where only that asks
    for the end of training.
    """
    tables = Moved(figure)
    train(tables.tables[Table.CURVES], pace)
    claims, of_figure = figures.claims_of(figure)
    numbers = [-1.0 if each.refutation_controls and each.controls is not None else 1.0 for each in claims]
    decided = [
        dataclasses.replace(claim, judge=lambda _, number=number: [above("one", exact(number))])
        for claim, number in zip(claims, numbers, strict=True)
    ]
    return {
        claim.statement
        for claim in decided
        if claim.controls or claim.refutation_controls or (claim.controls is None and of_figure)
        if claim.evaluate(tables, {}, of_figure)["outcome"] != Outcome.NOT_REACHED
    }


@pytest.mark.parametrize("figure", TRAINED)
def test_no_verdict_while_training_is_under_way(figure):
    claims, of_figure = figures.claims_of(figure)
    ended, under_way = judged(figure, 2.0), judged(figure, 1.0)
    assert ended or all(claim.controls == () for claim in claims)
    assert all(claim.controls is not None or of_figure for claim in claims), "a claim that needs none says so"
    assert [words for words in under_way if not any(part in words for part in ABOUT_TRAINING)] == []
