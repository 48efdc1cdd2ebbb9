"""The open claims of a run or sweep, the further seeds that the next look adds, and the rows of their tables."""

import dataclasses
import shlex
from collections.abc import Mapping, Sequence

from analysis.figures.claim import Claim
from analysis.report.publish import made_by, short
from analysis.report.published import MADE_BY
from analysis.tables.columns import Seeds, Table
from analysis.tables.extra_seeds import DECIDED, FOLDER
from lab.config.imported import PROGRAM
from lab.config.points import Point, point
from lab.config.training import seeds_of
from lab.errors import UserError
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Kept:
    """The further seeds of earlier looks. rows: {table: its rows}. commands: what made them."""

    rows: Mapping[str, list[dict[str, str]]]
    commands: Sequence[str]

    @classmethod
    def of(cls, directory: RunDirectory, last_seed: int) -> "Kept":
        """Read them from a run's or sweep's directory, up to the last seed of the looks whose outcomes are there: a
        look that was killed may have left later ones."""
        extra = RunDirectory(directory.path / FOLDER)
        tables = {path.stem: extra.read_text_table(path.stem) for path in extra.path.glob("*.csv")}
        rows = {name: [row for row in each if float(row[Seeds.SEED]) <= last_seed] for name, each in tables.items()}
        lines = extra.read_text(MADE_BY).splitlines()
        return cls(rows, [line for line in lines if "=" in line])  # commands, whatever the program was called there


def keep(directory: RunDirectory, added: Sequence[Point], earlier: Kept) -> None:
    """Write the rows of further seeds beside a run's or sweep's tables, where `Further` reads them, and what made them.

    Tables without a column of seeds, whose rows are means, have none. Outcomes of earlier looks stay until new ones are
    written, as they name the last of their seeds.

    Args:
        added: the runs of every look. earlier: the further seeds that were there.
    """
    places = [(run.place, RunDirectory.of(run.settings)) for look in added for run in look.runs]
    tables = {Table.DIVERGED, *(path.stem for path in directory.path.glob("*.csv"))}  # further seeds alone may diverge
    directory.folder(FOLDER, [])
    for name in sorted(tables - {DECIDED, Table.POINTS}):
        rows = [place | row for place, own in places if own.has_table(name) for row in own.read_text_table(name)]
        rows = [*earlier.rows.get(name, []), *map(short, rows)]
        if rows and Seeds.SEED in rows[0]:
            directory.write_table(f"{FOLDER}/{name}", rows)
    commands = [*earlier.commands, *(f"{PROGRAM} {shlex.join(look.words)}" for look in added)]
    directory.write_text(f"{FOLDER}/{MADE_BY}", made_by("\n".join(dict.fromkeys(commands)), places[-1][1]))


def further(words: Sequence[str], first: int, count: int) -> Point:
    """Return the same run or sweep with other seeds.

    Args:
        words: its command line.
        first, count: the first of its seeds, and how many.
    """
    same = [word for word in words if not word.startswith(("seed=", "seeds="))]
    return point([*same, f"seed={first}", f"seeds={count}"])


def points_with(root: Point, names: Sequence[str]) -> Point:
    """Return a sweep with those points alone whose names contain one of some texts, or all of them where none does; a
    single run as it is."""
    if not root.settings.has_points:
        return root
    points = [each for each in root.points if any(name in each.name for name in names)]
    return dataclasses.replace(root, points=points or root.points)


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


LEAST = 2  # seeds that a look adds


@dataclasses.dataclass(frozen=True)
class Open:
    """A claim without a verdict so far."""

    claim: Claim
    verdict: dict  # the last one
    lacking: int | None  # the further seeds that would decide it; None: no number would
    seeds_in: int = 0  # those of all its numbers (`Claim.seeds_in`) when it was judged
    looks: int = 0  # how often it was judged on further seeds
    last_seed: int | None = None  # the last of these


def next_look(left: Sequence[Open]) -> tuple[list[Open], int]:
    """Return the claims that the next look judges, and how many seeds it adds to each.

    They are those that lack the fewest seeds; a claim that lacks more waits until these are decided. A look at most
    doubles the seeds that any of them has. All of this depends on what was measured alone, and not on any budget, so a
    command that is given again takes the same looks.
    """
    decidable = [(max(each.lacking, LEAST), each) for each in left if each.lacking is not None]
    fewest = min((lacking for lacking, _ in decidable), default=0)
    chosen = [each for lacking, each in decidable if lacking == fewest]
    return chosen, min([fewest, *(max(each.verdict["seeds"], LEAST) for each in chosen)])
