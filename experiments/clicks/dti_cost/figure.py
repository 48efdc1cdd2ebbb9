"""The cost of sliding windows over that of prompts of k targets, counted in operations and measured in time [DTI].

A round of measurements plays the role of a seed, since other work on the machine slows all times of a round alike.
"""

import itertools

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.cited import Work, own, said, stronger
from analysis.figures.claim import Claim
from analysis.figures.estimates import Estimate, combine, exact
from analysis.figures.evidence import Condition, above, below, within
from analysis.tables.select import NotMeasured, Row, rows_where, table, text
from experiments.clicks.dti_cost.columns import PARTS, SLIDING, Cost, Growth, Pass, Table, Times
from lab.runs.directory import RunDirectory

CAPTION = (
    "Gain of a prompt of k targets over k sliding windows in a training step, against k, per window n, tokens of an "
    "interaction c and width d. Black: the source's formula nk/(n + k). Grey: all tokens, and products with weights "
    "alone. Squares: operations as XLA counts them. Circles: time, the median over rounds with bars from the first to "
    "the third quartile; all are computed at once or some prompts at a time, whichever is faster. Full: one masked "
    "matrix of scores; band: blocks of n, n/2, ... interactions."
)
COLOURS = {"full": "#0072B2", "band_1": "#D55E00", "band_2": "#009E73", "band_4": "#CC79A7"}
OTHERS = ("#E69F00", "#56B4E9", "#882255")
SHARE = 0.66  # of nk/(n + k): 7.97 of 12 on Amazon CDs with k = 30, the smallest share in DTI's table 3
SOURCE_N = 20
LEAST_REDUCTION = {10: 0.8002, 30: 0.8745, 50: 0.9096}  # of three data sets in DTI's table 3, by k
LINEAR = 0.01  # a share that counts as none
NEAR = 0.1  # of nk/(n + k), that counts as equal
SIZE = (Cost.N, Cost.C, Cost.D)  # of a panel, along which k varies


def draw(directory: RunDirectory) -> Figure:
    rows = rows_where(table(directory, Table.COST), {Cost.PASS: Pass.STEP})
    groups = groups_of(rows)
    figure, axes = style.panels(1, len(groups), width=4 * len(groups), height=4)
    for panel, (size, group) in zip(axes[0], groups.items(), strict=True):
        _panel(panel, group)
        panel.set_title(", ".join(f"{name} = {text(value)}" for name, value in zip(SIZE, size, strict=True)))
    style.legend(*axes[0])
    return figure


def groups_of(rows: list[Row]) -> dict[tuple, list[Row]]:
    """Return {(n, c, d): its rows, smallest k first}."""
    ordered = sorted(rows, key=lambda row: tuple(row[name] for name in (*SIZE, Cost.K)))
    groups = itertools.groupby(ordered, lambda row: tuple(row[name] for name in SIZE))
    return {key: list(group) for key, group in groups}


def ways_of(rows: list[Row]) -> dict[str, str]:
    """Return {way: colour} of the ways in which several targets share a prompt."""
    ways = [name.removeprefix("flops.") for name in rows[0] if name.startswith("flops.")]
    others = itertools.cycle(OTHERS)
    return {way: COLOURS.get(way) or next(others) for way in ways}


def name_of(way: str) -> str:
    """Return the name of a way in words."""
    divisor = way.removeprefix("band_")
    return "full" if way == "full" else "band, blocks of n" + (f"/{divisor}" if divisor != "1" else "")


def _panel(panel: Axes, rows: list[Row]) -> None:
    k = [row[Cost.K] for row in rows]
    panel.plot(k, [row[Cost.FORMULA] for row in rows], "-", color="#000000", label="formula")
    panel.plot(k, [row[Cost.TOKENS] for row in rows], "--", color="#777777", label="tokens")
    panel.plot(k, [row[Cost.PROJECTIONS] for row in rows], ":", color="#777777", label="products with weights")
    for way, color in ways_of(rows).items():
        panel.plot(
            k, [row[f"flops.{way}"] for row in rows], "s", color=color, mfc="none", label=f"{name_of(way)}: operations"
        )
        middle = [row[f"time.{way}"] for row in rows]
        bars = [
            [row.number(f"time.{way}") - row.number(f"time.{way}.low") for row in rows],
            [row.number(f"time.{way}.high") - row.number(f"time.{way}") for row in rows],
        ]
        panel.errorbar(k, middle, bars, fmt="-o", markersize=4, color=color, capsize=2, label=f"{name_of(way)}: time")
    panel.set(xlabel="k, targets of a prompt", ylabel="gain", ylim=(0, None))
    panel.set_xticks(k, [text(each) for each in k])


def named(row: Row) -> str:
    """Return the size in words."""
    return ", ".join(f"{name}={text(row[name])}" for name in (Cost.N, Cost.K, Cost.C, Cost.D))


def time_of(directory: RunDirectory, row: Row, way: str, clock: Times = Times.MILLISECONDS) -> Estimate:
    """Return the milliseconds per target of each round, for the size and pass of a row: those of the way computed at
    once or in parts, whichever is faster in the mean."""
    same: dict[str, float | str] = {name: row[name] for name in (Times.N, Times.K, Times.C, Times.D, Times.PASS)}
    rows = rows_where(table(directory, Table.TIMES), same)
    by_kind = [[each for each in rows if each[Times.WAY] == kind] for kind in (way, way + PARTS)]
    times = [Estimate({each.number(Times.ROUND): each.number(clock) for each in group}) for group in by_kind if group]
    if not times:
        raise NotMeasured(f"no times of {way}")
    return min(times, key=lambda each: each.mean)


def share_of_formula(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.COST), {Cost.PASS: Pass.STEP})
    conditions = []
    for row in rows:
        gain = time_of(directory, row, SLIDING) / time_of(directory, row, row.text(Cost.BETTER).removesuffix(PARTS))
        formula = row.number(Cost.FORMULA)
        share = combine(lambda each, formula=formula: each / formula, gain)
        conditions.append(above(f"{named(row)}: time gain / formula", share, SHARE))
    return conditions


def operations_are_formula(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.COST), {Cost.PASS: Pass.STEP})
    return [
        within(f"{named(row)}: operations / formula - 1", exact(most / row.number(Cost.FORMULA) - 1), NEAR)
        for row in rows
        for most in [max(row.number(f"flops.{way}") for way in ways_of(rows))]
    ]


def counted_as_tokens(directory: RunDirectory) -> list[Condition]:
    rows = rows_where(table(directory, Table.COST), {Cost.PASS: Pass.STEP})
    smallest = [way for way in ways_of(rows) if way != "full"][-1]
    return [
        within(
            f"{named(row)}: operations / tokens - 1",
            exact(row.number(f"flops.{smallest}") / row.number(Cost.TOKENS) - 1),
            0.01,
        )
        for row in rows
    ]


def band_is_faster(directory: RunDirectory) -> list[Condition]:
    rows = [
        row
        for row in rows_where(table(directory, Table.COST), {Cost.PASS: Pass.STEP})
        if row.number(Cost.K) >= 2 * row.number(Cost.N)
    ]
    if not rows:
        raise NotMeasured("no size has k >= 2n")
    conditions = []
    for row in rows:
        bands = [way for way in ways_of(rows) if way != "full"]
        best = max(bands, key=lambda way, row=row: row.number(f"time.{way}"))
        ratio = time_of(directory, row, "full") / time_of(directory, row, best)
        conditions.append(above(f"{named(row)}: time full / {name_of(best)}", ratio, 1.0))
    return conditions


def times_fall(directory: RunDirectory) -> list[Condition]:
    """Compare the time that is saved with the smallest reduction among the source's three data sets."""
    rows = rows_where(table(directory, Table.COST), {Cost.PASS: Pass.STEP, Cost.N: SOURCE_N})
    conditions = []
    for k, least in LEAST_REDUCTION.items():
        for row in rows_where(rows, {Cost.K: k}):
            way = max(ways_of(rows), key=lambda way, row=row: row.number(f"cpu.{way}"))
            busy, sliding = (time_of(directory, row, each, Times.CPU_MILLISECONDS) for each in (way, SLIDING))
            saved = combine(lambda a, b: 1 - a / b, busy, sliding)
            conditions.append(above(f"{named(row)}: time saved", saved, least))
    return conditions


def curvature(directory: RunDirectory, way: str) -> tuple[float, float]:
    """Fit the operations of a prompt by a parabola of its tokens.

    Returns:
        The share of the square in the fitted operations at the most tokens, and the largest relative error of the fit.
    """
    rows = rows_where(table(directory, Table.GROWTH), {Growth.WAY: way})
    tokens = np.array([row.number(Growth.TOKENS) for row in rows])
    operations = np.array([row.number(Growth.OPERATIONS) for row in rows])
    fit = np.polynomial.Polynomial.fit(tokens, operations, 2).convert()
    most = tokens.max()
    errors = np.abs(fit(tokens) / operations - 1)
    return float(fit.coef[2] * most**2 / fit(most)), float(errors.max())


def operations_by(directory: RunDirectory, way: str) -> dict[float, float]:
    """Return {targets: operations} of growth.csv."""
    rows = rows_where(table(directory, Table.GROWTH), {Growth.WAY: way})
    return {row.number(Growth.K): row.number(Growth.OPERATIONS) for row in rows}


def split_takes_less(directory: RunDirectory) -> list[Condition]:
    split, windowed = (operations_by(directory, way) for way in ("split", "windowed"))
    return [below(f"k = {k:g}: operations, split / window", exact(split[k] / windowed[k]), 1.0) for k in split]


def growth_is_linear(directory: RunDirectory) -> list[Condition]:
    (windowed, error), (full, full_error) = (curvature(directory, way) for way in ("windowed", "full"))
    return [
        within("window: share of the square in a prompt's operations", exact(windowed), LINEAR),
        above("one matrix of scores: share of the square", exact(full), 10 * LINEAR),
        within("largest relative error of both fits", exact(max(error, full_error)), LINEAR),
    ]


CLAIMS = (
    Claim(
        "Time of training falls as in the source's table 3.",
        stronger(Work.DTI, "section 5.3 and table 3", "a consistent decrease in training time"),
        "n = 20 and k = 10, 30 and 50: training steps on prompts of k targets take less time of the processor than on "
        "sliding windows, each at once or in parts, whichever is faster, by at least 80.02, 87.45 and 90.96 %, the "
        "smallest of the three data sets",
        times_fall,
        repeats="rounds",
    ),
    Claim(
        "With a window the operations of a prompt grow linearly with its length, without it quadratically.",
        said(Work.DTI, "sections 1 and 3.3, figure 1", "reduces the per-prompt complexity"),
        "a parabola through the operations of prompts of 10 to 200 targets against their tokens: with blocks of one "
        "interaction the square is within 1 % of the operations at the most tokens, with one matrix of scores it is "
        "above 10 %; both fits are within 1 % of all counts",
        growth_is_linear,
    ),
    Claim(
        "A split window takes no more operations than DTI-'s window.",
        own("derived here from the masks: its limits add up to n over all layers, and are n in each with DTI-"),
        "with blocks of one interaction the forward pass of a prompt has fewer operations, at every number of targets",
        split_takes_less,
    ),
    Claim(
        "The measured reduction of the training time is close to nk/(n + k).",
        stronger(Work.DTI, "section 5.3 and table 3", "aligns well with the calculated FLOPs reduction"),
        "at every size, of a training step, the time of sliding windows over that of the fastest kind of prompt of k "
        "targets, each at once or in parts, whichever is faster, is above 66 % of nk/(n + k), the smallest share in "
        "table 3, the mean over rounds measured in turns",
        share_of_formula,
        repeats="rounds",
    ),
    Claim(
        "Prompts of k targets reduce the operations of training by nk/(n + k).",
        said(Work.DTI, "section 3.5, eq. 3", "FLOPs Reduction"),
        "at every size, of a training step, the largest gain in operations that XLA counts is within 10 % of "
        "nk/(n + k)",
        operations_are_formula,
    ),
    Claim(
        "Banded attention with small blocks saves as many operations as tokens.",
        own("derived here from DTI, section 3.5, with [SUM]s and targets counted"),
        "at every size, of a training step with the smallest blocks, the gain in operations that XLA counts is "
        "within 1 % of k((n + 1)c + 1) / ((n + k)c + k)",
        counted_as_tokens,
    ),
    Claim(
        "From k = 2n on banded attention is faster than a masked full matrix.",
        own("derived here from DTI, section 3.3"),
        "at every size with k >= 2n, a training step with the fastest blocks takes less time "
        "than with the full matrix, the mean over rounds measured in turns",
        band_is_faster,
        repeats="rounds",
    ),
)
