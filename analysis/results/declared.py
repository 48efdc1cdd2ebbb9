"""The part `results` of a kind: what its runs measure, in one module without JAX and Matplotlib.

    HEADLINES  columns whose numbers are a run's headline numbers, one per value of their column `key`, means over
               seeds; and what is computed from columns (`analysis.results.column.Headline`)
    ANSWER     clauses of a sentence about them (`analysis.report.template`)
    CLAIMS, CONTROLS  of the figure that is called as the kind

The name of a headline number is COLUMN.VALUE, or NAME.PLACE, and NAME alone where there is one place or no `key`.
"""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.cited import Cited
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate
from analysis.results.column import Headline
from analysis.results.quantity import Bounds, Every
from analysis.tables.in_memory import Tables
from analysis.tables.select import NotMeasured
from lab.runs.directory import RunDirectory


def claim(statement: str, source: Cited | str, bounds: Bounds | Every, remark: str = "", **further) -> Claim:
    """Return a claim that is judged by bounds. Its criterion is the bounds' text.

    Args:
        remark: a remark for the reader, after the criterion.
        further: fields of `Claim`, such as its own controls.
    """
    criterion = "; ".join(filter(None, [str(bounds), remark]))
    return Claim(statement=statement, source=source, criterion=criterion, judge=bounds, **further)


def headlines(results: Any, directory: RunDirectory) -> dict[str, Estimate]:
    """Return the headline numbers of a directory's tables with their values by seed, without numbers that the tables
    lack.
    """
    measured: dict[str, Estimate] = {}
    for each in results.HEADLINES:
        quantity = each.quantity if isinstance(each, Headline) else each["*"] if each.key else each.number
        with contextlib.suppress(NotMeasured):
            for place, number in quantity.numbers(directory).items():
                measured[".".join(filter(None, (each.name, place)))] = number
    return measured


def numbers(results: Any, tables: Mapping[str, Sequence[dict]]) -> dict[str, float]:
    """Return the headline numbers of tables: {COLUMN.VALUE: mean over seeds, COLUMN.VALUE.stderr: its error}."""
    means: dict[str, float] = {}
    for name, measured in headlines(results, Tables(**tables)).items():
        means[name] = measured.mean
        if len(measured.by_seed) > 1 or measured.stderr > 0:
            means[f"{name}.stderr"] = measured.stderr
    return means
