"""The settings of each part of a sweep that are best on other users than those of the test.

AUC on sliding windows of other users (`eval.others`) chooses the values of `KEYS` for each part. Either the mean over
all seeds of a sweep chooses, for another experiment to judge, or each seed for itself, as early stopping does, and its
number on the test users is that of the part.
"""

import math

from analysis.figures.controls import Control
from analysis.figures.estimates import Estimate, exact
from analysis.figures.evidence import Condition, above
from analysis.results.column import Column
from analysis.results.quantity import Every, Numbers, Quantity
from analysis.tables.select import NotMeasured, Row, rows_where, table
from experiments.clicks.dti.results import (
    CLICKS,
    LABELS,
    NEAR,
    OTHERS,
    SLIDING,
    beside,
    metric,
)
from experiments.clicks.dti.results.history import HALF, SHARE, share_of_window, use_history
from experiments.clicks.tables import Clicks
from lab.runs.directory import RunDirectory

KEYS = ("learning_rate", "steps", "ymax", "early", "slope")
LONGER = "longer_"  # and the name of a part: the same with twice as many steps
Place = tuple[tuple[str, float], ...]  # (column, value) of the settings that a point differs in


def place_of(row: Row) -> Place:
    """Return the values that a point of the sweep has for the settings among KEYS; other parts may have others."""
    named = ((name, value) for name, value in row.items() if name.split(".")[-1] in KEYS)
    return tuple((name, value) for name, value in named if isinstance(value, float) and not math.isnan(value))


def options(rows: list[Row], part: str, name: str = Clicks.AUC, answers: str = SLIDING) -> dict[Place, Estimate]:
    """Return {settings: a number by seed} of all points of a part."""
    of_part = rows_where(rows, {"part": part, Clicks.ANSWERS: answers})
    places = dict.fromkeys(place_of(row) for row in of_part)
    return {place: metric(_at(of_part, place), name, answers) for place in places}


def best(rows: list[Row], *parts: str, **fixed: float) -> tuple[str, Place, Estimate]:
    """Return the part and settings that are best on other users by all seeds, and their AUC there.

    Args:
        parts: the parts of the sweep among whose points it is chosen.
        fixed: {column: value} of the points that are looked at.

    Raises:
        NotMeasured: these parts have no numbers of other users.
    """
    tried = {
        (part, place): number
        for part in parts
        for place, number in options(rows_where(rows, fixed), part, answers=OTHERS).items()
    }
    if not tried:
        raise NotMeasured(f"{', '.join(parts)}: no numbers of other users")
    part, place = max(tried, key=lambda each: tried[each].mean)
    return part, place, tried[part, place]


def chosen(rows: list[Row], part: str) -> dict[float, Place]:
    """Return {seed: the settings of a part that are best on this seed's other users}, as early stopping chooses.

    Raises:
        NotMeasured: there are no numbers of other users.
    """
    tried = options(rows, part, answers=OTHERS)
    if not tried:
        raise NotMeasured(f"{part}: no numbers of other users")
    seeds = set.intersection(*(set(each.by_seed) for each in tried.values()))
    return {seed: max(tried, key=lambda place: tried[place].by_seed[seed]) for seed in sorted(seeds)}


def rows_of_chosen(rows: list[Row], part: str) -> list[Row]:
    """Return the rows of a part that have the settings chosen for their seed."""
    places = chosen(rows, part)
    return [row for row in rows_where(rows, {"part": part}) if place_of(row) == places.get(row.number(Clicks.SEED))]


def tuned(rows: list[Row], part: str, name: str = Clicks.AUC, answers: str = SLIDING) -> Estimate:
    """Return a number on the test users by seed, with the settings chosen for each seed on its other users."""
    return metric(rows_of_chosen(rows, part), name, answers)


def _at(rows: list[Row], place: Place) -> list[Row]:
    return [row for row in rows if place_of(row) == place]


def chosen_number(column: Column, part: str) -> Quantity:
    """Return a number on the test users, with the settings chosen for each seed on its other users."""
    answers = dict(column.implied)[Clicks.ANSWERS]

    def numbers(directory: RunDirectory) -> Numbers:
        return {"": tuned(table(directory, CLICKS), part, column.name, answers)}

    return Quantity(column.label, f"{LABELS[part]}, tuned", numbers)


def use_history_when_tuned(*parts: str) -> Control:
    """Return the control of `use_history`, with the settings chosen for each seed."""

    def share(part: str) -> Quantity:
        return Quantity(
            SHARE,
            LABELS[part],
            lambda directory: {"": share_of_window(rows_of_chosen(table(directory, CLICKS), part), part)},
        )

    return Control(use_history(HALF, *parts).name, Every(tuple(share(part) > HALF for part in parts)))


def enough_steps(*parts: str) -> Control:
    """Return the control that no part was trained too little: in the mean over seeds the largest number of steps is not
    its best."""

    def judge(directory: RunDirectory) -> list[Condition]:
        conditions = []
        for part in parts:
            tried = options(table(directory, CLICKS), part, answers=OTHERS).items()
            means = {dict(place)["train.steps"]: each.mean for place, each in tried}
            longer = exact(max(means) / max(means, key=lambda steps: means[steps]))
            conditions.append(above(f"{LABELS[part]}: most steps that were tried / steps that are best", longer, 1.0))
        return conditions

    return Control("on other users the largest number of steps is not the best", judge)


def controls_of_finetuned(*parts: str) -> tuple[Control, ...]:
    """Return the controls that the chosen decoders use history, and that no part was trained too little."""
    return use_history_when_tuned(*parts), enough_steps(*parts)


def no_better_longer(*parts: str) -> Control:
    """Return the control that no part was trained too little: with twice as many steps it is hardly better."""
    bounds = Every(tuple(beside(LONGER + part, part) < NEAR for part in parts))
    return Control("twice as many steps raise AUC on sliding windows by less than .2%", bounds)


def controls_of_tuned(*parts: str) -> tuple[Control, ...]:
    """Return the controls that decoders use history, and that none was trained too little."""
    return use_history(HALF, *parts), no_better_longer(*parts)
