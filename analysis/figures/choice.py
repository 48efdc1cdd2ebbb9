"""Panels and judges about the choice of a set of demonstrations: by Effect_D [LRGD], accuracy or log-loss."""

import math
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes

from analysis.figures.estimates import Estimate, estimate, mean
from analysis.figures.evidence import Condition, above, below
from analysis.figures.measures import mean_over_seeds
from analysis.figures.queries import against_queries, line
from analysis.tables.choice import Bounds, Choice
from analysis.tables.select import NotMeasured, Row, distinct, rows_where, table
from lab.runs.directory import RunDirectory

SCORES = {  # label, colour, marker
    "effect": ("Effect_D", "#0072B2", "o"),
    "accuracy": ("accuracy", "#E69F00", "s"),
    "loss": ("log-loss", "#009E73", "^"),
}
BOUNDS = {"random": ("random set", ":"), "best": ("best set on the test", "--")}
SIDES = {Choice.VALIDATION: ("Effect_D on validation", "-"), Choice.TEST: ("Effect_D on test", "--")}


def draw_choice(panels: Sequence[Axes], choice: list[Row], bounds: list[Row]) -> None:
    """Draw accuracy with the chosen set, correlation of score and accuracy, and Effect_D on both sorts of queries.

    Args:
        panels: three of them. choice, bounds: rows of choice.csv and bounds.csv.
    """
    accuracy, correlation, optimism = panels
    for score, (label, color, marker) in SCORES.items():
        for panel, column in ((accuracy, Choice.ACCURACY), (correlation, Choice.SPEARMAN)):
            rows = rows_where(choice, {Choice.SCORE: score})
            line(panel, rows, Choice.QUERIES, column, color=color, fmt=f"-{marker}", label=label)
    for bound, (label, dashes) in BOUNDS.items():
        rows = rows_where(bounds, {Bounds.BOUND: bound})
        middle, error = mean_over_seeds(rows, Bounds.ACCURACY, f"{Bounds.ACCURACY}.stderr")
        accuracy.axhline(middle, linestyle=dashes, color="#444444", label=label)
        accuracy.axhspan(middle - error, middle + error, color="#444444", alpha=0.1, linewidth=0)
    for side, (label, dashes) in SIDES.items():
        color, rows = SCORES["effect"][1], rows_where(choice, {Choice.SCORE: "effect"})
        line(optimism, rows, Choice.QUERIES, side, color=color, fmt=f"{dashes}o", label=label)
    accuracy.set(ylabel="test accuracy with the chosen set")
    correlation.set(ylabel="Spearman, score and test accuracy")
    optimism.set(ylabel="Effect_D of the set it chooses")
    against_queries(choice, Choice.QUERIES, *panels)


def by_count(rows: list[Row], column: str) -> dict[float, Estimate]:
    """Return {number of validation queries: a column}, from the rows of one score and the seeds that have a value.

    Raises:
        NotMeasured: no seed has one, as a correlation where all sets are equally good.
    """
    with_value = [row for row in rows if math.isfinite(row.number(column))]
    if not with_value:
        raise NotMeasured(f"{column} has no value")
    counts = distinct(with_value, Choice.QUERIES)
    return {count: estimate(rows_where(with_value, {Choice.QUERIES: count}), column) for count in counts}


def helps(name: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether sets with a higher Effect_D on validation queries are the better ones on the test.

    Args:
        name: of the table of choices.
    """

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, name), {Choice.SCORE: "effect"})
        names = {Choice.SPEARMAN: "Spearman of Effect_D", Choice.GAIN: "accuracy with its choice - with a random set"}
        return [
            above(f"{what}, {count:g} queries", number)
            for column, what in names.items()
            for count, number in by_count(rows, column).items()
        ]

    return judge


def better_than(score: str, name: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether the choice of Effect_D is more accurate than that of another score."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, name), {Choice.SCORE: score})
        lead = mean([*by_count(rows, Choice.LEAD).values()])
        return [above(f"accuracy with the choice of Effect_D - of {SCORES[score][0]}", lead)]

    return judge


def leaves_room(score: str, name: str) -> Callable[[RunDirectory], list[Condition]]:
    """Return a judge of whether a better choice than that of a score is possible: its answers are not all right."""

    def judge(directory: RunDirectory) -> list[Condition]:
        rows = rows_where(table(directory, name), {Choice.SCORE: score})
        accuracy = mean([*by_count(rows, Choice.ACCURACY).values()])
        return [below(f"accuracy with the choice of {SCORES[score][0]}", accuracy, 1.0)]

    return judge


def learned_from_sets(rows: list[Row], label: str = "") -> Condition:
    """Return the condition that demonstrations help, from rows of bounds.csv."""
    random, nothing = (
        estimate(rows_where(rows, {Bounds.BOUND: bound}), Bounds.ACCURACY) for bound in ("random", "zero_shot")
    )
    return above(f"{label}accuracy with a random set - with none", random - nothing)
