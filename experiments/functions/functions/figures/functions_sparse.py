"""Sparse linear functions: a decoder beside least squares, Lasso, and the mean over all sets of coordinates."""

import functools

from analysis.figures.budgets import over_budgets
from analysis.figures.cited import Work, own, said
from analysis.figures.claim import Claim
from analysis.figures.evidence import Condition, below
from analysis.figures.prefixes import SUBJECT, counts_of, lower_error, mean_error, width
from analysis.tables.columns import Table
from analysis.tables.select import table
from experiments.functions.functions.controls import CONTROLS as CONTROLS
from experiments.functions.functions.figure import BANDS as BANDS
from experiments.functions.functions.figure import CAPTION as CAPTION
from experiments.functions.functions.figure import draw as draw
from lab.runs.directory import RunDirectory

CLOSE = 0.1  # of E f^2


def follows(other: str, label: str, directory: RunDirectory) -> list[Condition]:
    """Compare errors by their difference and not their ratio, since those of the other learners become nearly 0.

    Args:
        other: the name of the other learner. label: whose error it is, in words.
        directory: that of the run.
    """
    rows, d = table(directory, Table.SEEDS), width(directory)
    counts = [count for count in counts_of(rows, SUBJECT, other) if d / 2 <= count <= 2 * d]
    halves = {
        "d/2 to d": [count for count in counts if count <= d],
        "d to 2 d": [count for count in counts if count >= d],
    }
    return [
        below(
            f"{name} examples: error - {label}",
            mean_error(rows, SUBJECT, some) - mean_error(rows, other, some),
            CLOSE,
        )
        for name, some in halves.items()
        if some
    ]


CRITERIA = (
    Claim(
        "On sparse linear functions a Transformer is more accurate than least squares: it uses that they are sparse.",
        said(Work.GARG22, "abstract, sparse linear functions"),
        "mean error over d/2 to d - 1 examples below that of least squares",
        lower_error(("least_squares",), lambda count, d: d / 2 <= count < d, "d/2 to d - 1 examples"),
    ),
    Claim(
        "It follows Lasso.",
        said(Work.GARG22, "abstract, sparse linear functions"),
        "mean errors over d/2 to d and over d to 2 d examples at most .1 of E f² above Lasso's",
        functools.partial(follows, "lasso", "Lasso's"),
    ),
    Claim(
        "It follows the Bayes-optimal answer, the mean over all sets of coordinates.",
        own("derived here from the task, whose sets of coordinates can be listed"),
        "mean errors over d/2 to d and over d to 2 d examples at most .1 of E f² above those of the Bayes-optimal "
        "answer",
        functools.partial(follows, "optimal", "the Bayes-optimal answer's"),
    ),
)
CLAIMS = over_budgets(CRITERIA, Table.SEEDS)  # one budget refutes nothing: `sparse_budgets` has several
