"""Claims on trained models have no verdict where training was under way, on the kept tables of every kind.

That something must have been learned is among the bounds of test_results.py.
"""

import dataclasses
import functools
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
ABOUT_TRAINING = (  # words of claims on what happens in training, or is so at any time
    "moves with training",
    "however long training is",
    "learns faster",
    "helps early",
    "curriculum",
    "more stable than",
    "The order of examples tells",
    "With every seed a second softmax head",  # no training leaves the plateau of a seed that failed
)


def under_way(rows: list[dict]) -> None:
    """Let every column change by as much in the second half of training as in the first."""
    columns = [*rows[0]]
    first = columns.index(Curves.STEP)
    names = columns[first + 1 :]
    places: dict[tuple, list[dict]] = {}
    for row in rows:
        places.setdefault((*(row[name] for name in columns[:first]), row.get(Curves.SEED)), []).append(row)
    for place in places.values():
        for name in names:
            measured = [row for row in place if isinstance(row[name], float) and math.isfinite(row[name])]
            if name == Curves.SEED or not measured:
                continue
            start, end = measured[0], measured[-1]
            begin, whole = start[Curves.STEP], end[Curves.STEP] - start[Curves.STEP]
            values = start[name], end[name]
            for row in measured:
                share = (row[Curves.STEP] - begin) / whole if whole else 1.0
                row[name] = values[0] + share * (values[1] - values[0])


@functools.cache
def outcomes(figure: str, is_under_way: bool) -> dict[str, str]:
    """Return the outcome of each claim that has controls, its criterion always met, or refuted if that has its own."""
    tables = Moved(figure)
    if is_under_way:
        under_way(tables.tables[Table.CURVES])
    claims, of_figure = figures.claims_of(figure)
    return {
        claim.statement: dataclasses.replace(
            claim, judge=lambda _, sign=-1 if claim.refutation_controls else 1: [above("one", exact(float(sign)))]
        ).evaluate(tables, {}, of_figure)["outcome"]
        for claim in claims
        if claim.controls or claim.refutation_controls or (claim.controls is None and of_figure)
    }


@pytest.mark.parametrize("figure", TRAINED)
def test_no_verdict_while_training_is_under_way(figure):
    ended = {words for words, outcome in outcomes(figure, False).items() if outcome != Outcome.NOT_REACHED}
    later = {words for words in ended if outcomes(figure, True)[words] != Outcome.NOT_REACHED}
    assert [words for words in later if not any(part in words for part in ABOUT_TRAINING)] == []
