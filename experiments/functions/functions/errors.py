"""Errors by the number of examples: their columns, and means over some numbers of examples, as quantities.

d is the number of inputs of a function.
"""

import dataclasses
from collections.abc import Callable

from analysis.figures.prefixes import SUBJECT, counts_of, mean_error, width
from analysis.figures.prefixes import error as error_after
from analysis.results.column import Column
from analysis.results.quantity import Numbers, Quantity
from analysis.tables.columns import ByExamples, Table
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from lab.runs.directory import RunDirectory

NOISE = "task.noise"
error = Column(
    Table.SEEDS,
    ByExamples.ERROR,
    "error",
    "Mean loss after so many examples, divided by that of the answer 0.",
    ByExamples.LEARNER,
)
distance = Column(
    Table.SEEDS,
    ByExamples.DISTANCE,
    "distance from the exact Bayes answer",
    "Mean squared distance from the exact Bayes answer after so many examples, over E f².",
    ByExamples.LEARNER,
)


@dataclasses.dataclass(frozen=True)
class Counts:
    """Numbers of examples over which errors are averaged: in words, and whether a number is one, given d."""

    words: str
    chosen: Callable[[float, int], bool]


FROM_D = Counts("d examples and more", lambda count, d: count >= d)
AT_D = Counts("d examples", lambda count, d: count == d)
AT_2D = Counts("2 d examples", lambda count, d: count == 2 * d)
BELOW_D = Counts("d/2 to d - 1 examples", lambda count, d: d / 2 <= count < d)
FIRST_HALF = Counts("d/2 to d examples", lambda count, d: d / 2 <= count <= d)
SECOND_HALF = Counts("d to 2 d examples", lambda count, d: d <= count <= 2 * d)


def seed_rows(directory: RunDirectory, noisy: bool | None = None) -> list[Row]:
    """Return the rows of seeds.csv: all, those with the largest noise, or those without noise.

    Raises:
        NotMeasured: there are no such rows.
    """
    rows = table(directory, Table.SEEDS)
    if noisy is None:
        return rows
    noises = [noise for noise in distinct(rows, NOISE) if (noise > 0) == noisy]
    if not noises:
        raise NotMeasured("there is no run " + ("with noise" if noisy else "without noise"))
    return rows_where(rows, {NOISE: noises[-1]})


def mean(learner: str, counts: Counts, *others: str, noisy: bool | None = None) -> Quantity:
    """Return a learner's mean error over those of the numbers of examples after which others were measured, too."""

    def numbers(directory: RunDirectory) -> Numbers:
        rows, d = seed_rows(directory, noisy), width(directory)
        both = [count for count in counts_of(rows, learner, *others) if counts.chosen(count, d)]
        if not both:
            raise NotMeasured(f"there are no {counts.words} with d = {d}")
        return {"": mean_error(rows, learner, both)}

    noise = {None: "", True: "with noise, ", False: "without noise, "}[noisy]
    return Quantity(error.label, f"{noise}{counts.words}, {learner}", numbers)


def difference(other: str, counts: Counts) -> Quantity:
    return mean(SUBJECT, counts, other) - mean(other, counts, SUBJECT)


def excess(other: str, counts: Counts, noisy: bool | None = None) -> Quantity:
    """Return the decoder's mean error over another's, minus 1."""
    return mean(SUBJECT, counts, other, noisy=noisy) / mean(other, counts, SUBJECT, noisy=noisy) - 1


def at_each_up_to_3d(learner: str) -> Quantity:
    """Return the error after every number of examples up to 3 d, with noise."""

    def numbers(directory: RunDirectory) -> Numbers:
        rows, most = seed_rows(directory, noisy=True), 3 * width(directory)
        counts = distinct(rows, ByExamples.EXAMPLES)
        if counts[-1] < most:
            raise NotMeasured(f"contexts end before 3 d = {most} examples")
        return {f"{count:g} examples": error_after(rows, learner, count) for count in counts if count <= most}

    return Quantity(error.label, f"with noise, {learner}", numbers, "after every number of examples up to 3 d,")
