"""The further seeds of a run or sweep, and its tables together with theirs."""

import dataclasses
from collections.abc import Sequence

from analysis.tables.columns import Seeds
from lab.config.points import Point, point
from lab.config.training import seeds_of
from lab.errors import UserError
from lab.runs.directory import RunDirectory
from lab.runs.files import number


class Joined(RunDirectory):
    """The tables of a run or sweep, with the rows of further seeds behind its own.

    Tables without a column of seeds, whose rows are means, are left as they are.
    """

    def __init__(self, directory: RunDirectory, further: Sequence[Point]):
        super().__init__(directory.path)
        self._further = further

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        rows = super().read_table(name)
        if not rows or Seeds.SEED not in rows[0]:
            return rows
        for each in self._further:
            place = {key: number(value) for key, value in each.place.items()}
            rows += [place | row for row in RunDirectory.of(each.settings).read_table(name)]
        return rows


def further(words: Sequence[str], first: int, count: int) -> Point:
    """Return the same run or sweep with other seeds.

    Args:
        words: its command line.
        first, count: the first of its seeds, and how many.
    """
    same = [word for word in words if not word.startswith(("seed=", "seeds="))]
    return point([*same, f"seed={first}", f"seeds={count}"])


def points_with(root: Point, names: Sequence[str]) -> Point:
    """Return a sweep with those points alone whose names contain one of some texts; a single run as it is."""
    if not root.settings.has_points:
        return root
    return dataclasses.replace(root, points=[each for each in root.points if any(name in each.name for name in names)])


def next_seed(root: Point) -> int:
    """Return the first seed that no run of it has.

    Raises:
        UserError: its kind has no seeds, or it is a sweep of sweeps.
    """
    runs = root.points if root.settings.has_points else [root]
    if any(each.settings.has_points for each in runs):
        raise UserError("decide: this is a sweep of sweeps; give the directory of one of its sweeps, from points.csv")
    try:
        return max(seeds_of(each.settings)[-1] for each in runs) + 1
    except TypeError as error:
        raise UserError(f"decide: {error}, so there is nothing to add") from error
