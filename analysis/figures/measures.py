"""Numbers that several figures draw or claims use."""

import dataclasses
import math

from analysis.figures.estimates import Estimate, combine, estimate, known
from analysis.tables.columns import Seeds
from analysis.tables.select import Row, rows_where

GD = "gradient_descent"


def excess(rows: list[Row], learner: str = "transformer") -> Estimate:
    """Return a learner's loss / gradient descent's - 1, from rows of seeds.csv."""
    losses = (estimate(rows_where(rows, {Seeds.LEARNER: name}), Seeds.LOSS) for name in (learner, GD))
    return combine(lambda learned, descent: learned / descent - 1, *losses)


def paired_over_users(rows: list[Row], number: str) -> Estimate:
    """Return a column as `estimate` does, with an error that is at least that over all users.

    Every seed has users of its own. The spread over a few seeds may be small by chance, so it alone would
    underestimate the error. The column `number`.stderr has the standard error over the users of each seed.
    """
    over_seeds = estimate(rows, number)
    if len(over_seeds.by_seed) < 2:
        return over_seeds
    over_users = math.hypot(*(float(row[f"{number}.stderr"]) for row in rows)) / len(rows)
    missing = max(over_users**2 - over_seeds.stderr**2, 0.0)
    return dataclasses.replace(over_seeds, common=math.sqrt(missing))


def on_the_same_users(rows: list[Row], number: str) -> Estimate:
    """Return a column as `estimate` does, with the error over the test users, whom all seeds share, in quadrature.

    More seeds do not make it smaller. The column `number`.stderr has the standard error over the users of each seed.
    """
    over_seeds = estimate(rows, number)
    errors = [float(row[f"{number}.stderr"]) for row in rows]
    return dataclasses.replace(over_seeds, common=sum(errors) / len(errors))


def of_model_or_models(rows: list[Row], number: str) -> Estimate:
    """Return a column of one model with the error over its episodes, or over seeds where there are several models."""
    if len(rows) > 1:
        return estimate(rows, number)
    return known(rows[0].number(number), rows[0].number(f"{number}.stderr"))


def negative(number: Estimate) -> Estimate:
    """Return minus the number, with its error."""
    return combine(lambda value: -value, number)
