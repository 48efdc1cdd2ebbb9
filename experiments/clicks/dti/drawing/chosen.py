"""The settings of each part of a sweep that are best on other users than those of the test.

AUC on sliding windows of other users (`eval.others`) chooses the values of `KEYS` for each part. Either the mean over
all seeds of a sweep chooses, for another experiment to judge, or each seed for itself, as early stopping does, and its
number on the test users is that of the part.
"""

import math

from analysis.figures.estimates import Estimate
from analysis.tables.select import NotMeasured, Row, rows_where
from experiments.clicks.dti.drawing.measures import SLIDING, metric
from experiments.clicks.tables import Clicks

KEYS = ("learning_rate", "steps", "ymax", "early", "slope")
OTHERS = "others"
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


def best(rows: list[Row], *parts: str, **where: float) -> tuple[str, Place, Estimate]:
    """Return the part and settings that are best on other users by all seeds, and their AUC there.

    Args:
        parts: the parts of the sweep among whose points it is chosen.
        where: {column: value} of the points that are looked at.

    Raises:
        NotMeasured: these parts have no numbers of other users.
    """
    tried = {
        (part, place): number
        for part in parts
        for place, number in options(rows_where(rows, where), part, answers=OTHERS).items()
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
