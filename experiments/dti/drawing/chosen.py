"""The settings of each part of a sweep that are best on other users than those of the test.

The mean AUC on sliding windows of other users (`eval.others`) chooses the values of `KEYS` for each part. Either all
seeds of a sweep choose, for another experiment to judge, or the first half of them, and the numbers of the other seeds
on the test users are those of the part.
"""

import math

from analysis.figures.estimates import Estimate, chosen_on_others, on_seeds
from analysis.tables.columns import Clicks
from analysis.tables.select import NotMeasured, Row, rows_where
from experiments.dti.drawing.measures import SLIDING, metric

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


def chosen(rows: list[Row], part: str) -> tuple[Place, list[float]]:
    """Return the settings of a part that are best on other users by the first half of the seeds, and the other seeds.

    Raises:
        NotMeasured: there are fewer than three seeds, or no numbers of other users.
    """
    return chosen_on_others(options(rows, part, answers=OTHERS))


def tuned(rows: list[Row], part: str, name: str = Clicks.AUC, answers: str = SLIDING) -> Estimate:
    """Return a number on the test users, with the settings chosen for the part, of the seeds that did not choose."""
    place, judging = chosen(rows, part)
    return on_seeds(options(rows, part, name, answers)[place], judging)


def _at(rows: list[Row], place: Place) -> list[Row]:
    return [row for row in rows if place_of(row) == place]
