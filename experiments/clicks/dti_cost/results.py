"""The results of `dti_cost`: gains of prompts of k targets over sliding windows, counted and timed [DTI].

Gains in time are taken within each round. Both sides are computed at once or some prompts at a time, whichever is
faster.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

import numpy as np

from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.estimates import Estimate, combine, exact
from analysis.results.column import Column, Headline
from analysis.results.declared import claim
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.results.timing import cpu_milliseconds, milliseconds
from analysis.tables.select import NotMeasured, Row, rows_where, table, text
from experiments.clicks.dti_cost.settings import SIZE
from lab.runs.directory import RunDirectory

N, K, C, D = SIZE  # columns
PASS = "pass"
COST = "cost"  # the table with one row per size and pass: gains over sliding windows, counted
FORMULA, TOKENS, PROJECTIONS = "formula", "tokens", "projections"  # nk / (n + k); in tokens; in products with weights
FLOPS = "flops."  # before the name of a way: the gain in operations
GROWTH, WAY, OPERATIONS = "growth", "way", "operations"  # the table of forward passes on one prompt's targets
SLIDING, FULL, BAND = "sliding", "full", "band_"  # ways; the last with the number by which a window is divided
WINDOWED, SPLIT = "windowed", "split"  # further ways of growth.csv
PARTS = "_parts"  # behind the name of a way: some prompts at a time, in place of all at once

SOURCE_N = 20
LEAST_REDUCTION = {10: 0.8002, 30: 0.8745, 50: 0.9096}  # of three data sets in DTI's table 3, by k
LINEAR = 0.01  # a share that counts as none


class Pass(StrEnum):
    """The passes, each of a batch of targets."""

    FORWARD = "forward"  # the loss
    STEP = "step"  # a training step: the loss, its gradient, and the optimiser's update of the weights


def ways_of(row: Row) -> list[str]:
    """Return the ways in which several targets share a prompt, from a row of cost.csv."""
    return [name.removeprefix(FLOPS) for name in row if name.startswith(FLOPS)]


def named(row: Row) -> str:
    """Return a size in words."""
    return ", ".join(f"{name}={text(row[name])}" for name in SIZE)


def times(directory: RunDirectory, row: Row, clock: Column = milliseconds) -> dict[str, Estimate]:
    """Return {way: its times by round} of a row of cost.csv, at once or in parts, whichever is faster in the mean."""
    place = {name: row[name] for name in (*SIZE, PASS)}
    by_way: dict[str, list[Estimate]] = {}
    for program, number in clock.where(**place)["*"].numbers(directory).items():
        by_way.setdefault(program.removesuffix(PARTS), []).append(number)
    return {way: min(each, key=lambda number: number.mean) for way, each in by_way.items()}


def gains(directory: RunDirectory, row: Row, clock: Column = milliseconds) -> dict[str, Estimate]:
    """Return {way: how many times as long sliding windows take, by round}, the fastest way first."""
    of_way = times(directory, row, clock)
    fastest = sorted((way for way in of_way if way != SLIDING), key=lambda way: of_way[way].mean)
    return {way: of_way[SLIDING] / of_way[way] for way in fastest}


def best(directory: RunDirectory, row: Row, clock: Column = milliseconds) -> Estimate:
    """Return the gain of the fastest way."""
    return next(iter(gains(directory, row, clock).values()))


def steps(directory: RunDirectory) -> list[Row]:
    """Return the rows of cost.csv of training steps."""
    return rows_where(table(directory, COST), {PASS: Pass.STEP})


def of_sizes(
    label: str, number: Callable[[RunDirectory, Row], Estimate], chosen: Callable[[Row], bool] = lambda row: True
) -> Quantity:
    """Return a number at every size that is chosen, of a training step."""

    def numbers(directory: RunDirectory) -> Numbers:
        if not (rows := [row for row in steps(directory) if chosen(row)]):
            raise NotMeasured(f"no size has {label}")
        return {named(row): number(directory, row) for row in rows}

    return Quantity(label, "", numbers, "at every size,")


def _share(directory: RunDirectory, row: Row) -> Estimate:
    return combine(lambda gain: gain / row.number(FORMULA), best(directory, row))


def _saved(directory: RunDirectory, row: Row) -> Estimate:
    return combine(lambda gain: 1 - 1 / gain, best(directory, row, cpu_milliseconds))


def _full_over_bands(directory: RunDirectory, row: Row) -> Estimate:
    of_way = times(directory, row)
    bands = [each for way, each in of_way.items() if way.startswith(BAND)]
    return of_way[FULL] / min(bands, key=lambda each: each.mean)


def _operations(directory: RunDirectory, row: Row) -> Estimate:
    return exact(max(row.number(FLOPS + way) for way in ways_of(row)) / row.number(FORMULA) - 1)


def _operations_of_tokens(directory: RunDirectory, row: Row) -> Estimate:
    return exact(row.number(FLOPS + ways_of(row)[-1]) / row.number(TOKENS) - 1)


def table_3() -> Every:
    """Return the bounds of savings that are at least the smallest of the source, at its numbers of targets."""
    bounds = [
        of_sizes(f"processor time saved at n = {SOURCE_N}, k = {k}", _saved,
                 lambda row, k=k: row[N] == SOURCE_N and row[K] == k) > least
        for k, least in LEAST_REDUCTION.items()
    ]  # fmt: skip
    return Every((*bounds,))


def operations_by(directory: RunDirectory, way: str) -> Mapping[float, float]:
    """Return {tokens: operations} of growth.csv."""
    rows = rows_where(table(directory, GROWTH), {WAY: way})
    return {row.number(TOKENS): row.number(OPERATIONS) for row in rows}


def curvature(directory: RunDirectory, way: str) -> tuple[float, float]:
    """Fit the operations of a prompt by a parabola of its tokens.

    Returns:
        The share of the square in the fitted operations at the most tokens, and the largest relative error of the fit.
    """
    tokens, operations = (np.array([*each]) for each in zip(*operations_by(directory, way).items(), strict=True))
    fit = np.polynomial.Polynomial.fit(tokens, operations, 2).convert()
    most = tokens.max()
    return float(fit.coef[2] * most**2 / fit(most)), float(np.abs(fit(tokens) / operations - 1).max())


def square(way: str) -> Quantity:
    """Return the share of the square in a prompt's operations."""
    return Quantity("share of the square in a prompt's operations", way,
                    lambda directory: {"": exact(curvature(directory, way)[0])})  # fmt: skip


def _worst_fit(directory: RunDirectory) -> Numbers:
    return {"": exact(max(curvature(directory, way)[1] for way in (WINDOWED, FULL)))}


def _split(directory: RunDirectory) -> Numbers:
    split, windowed = (operations_by(directory, way) for way in (SPLIT, WINDOWED))
    return {f"{tokens:g} tokens": exact(split[tokens] / windowed[tokens]) for tokens in split}


HEADLINES = (
    Headline("share", "share of the formula's gain",
             "Gain in time of a training step over nk / (n + k), the formula's.", of_sizes("share", _share)),
)  # fmt: skip
ANSWER = ("in a training step prompts of many targets save {share.*} of the gain in time that nk / (n + k) gives",)
CLAIMS = (
    claim(
        "Time of training falls as in the source's table 3.",
        stronger(Work.DTI, "section 5.3 and table 3", "a consistent decrease in training time"),
        table_3(),
        "training steps on prompts of k targets beside sliding windows, each at once or in parts, whichever is faster; "
        "the bounds are the smallest of the source's three data sets",
        repeats="rounds",
    ),
    claim(
        "With a window the operations of a prompt grow linearly with its length, without it quadratically.",
        said(Work.DTI, "sections 1 and 3.3, figure 1", "reduces the per-prompt complexity"),
        square(WINDOWED).within(LINEAR)
        & (square(FULL) > 10 * LINEAR)
        & Quantity("largest relative error of both fits", "", _worst_fit).within(LINEAR),
        "a parabola through the operations of prompts of 10 to 200 targets against their tokens, with blocks of one "
        "interaction, and with one matrix of scores; the square at the most tokens",
    ),
    claim(
        "A split window takes no more operations than DTI-'s window.",
        own("derived here from the masks: its limits add up to n over all layers, and are n in each with DTI-"),
        Quantity("operations of a forward pass, split / window", "", _split, "at every number of targets,") < 1,
        "with blocks of one interaction",
    ),
    claim(
        "Prompts of k targets reduce the operations of training by nk/(n + k).",
        said(Work.DTI, "section 3.5, eq. 3", "FLOPs Reduction"),
        of_sizes("operations / formula - 1", _operations).within(0.1),
        "of a training step, the largest gain in operations that XLA counts",
    ),
    claim(
        "Banded attention with small blocks saves as many operations as tokens.",
        own("derived here from DTI, section 3.5, with [SUM]s and targets counted"),
        of_sizes("operations / tokens - 1", _operations_of_tokens).within(0.01),
        "of a training step with the smallest blocks, the gain in operations that XLA counts, beside "
        "k((n + 1)c + 1) / ((n + k)c + k)",
    ),
    claim(
        "From k = 2n on banded attention is faster than a masked full matrix.",
        own("derived here from DTI, section 3.3"),
        of_sizes("time full / best band", _full_over_bands, lambda row: row.number(K) >= 2 * row.number(N)) > 1,
        "where k >= 2n, a training step with the fastest blocks, and with the matrix, each at once or in parts, "
        "whichever is faster; the mean over rounds",
        repeats="rounds",
    ),
)
