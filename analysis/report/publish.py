"""Published verdicts: small copies of the tables behind them, and the pages that show them.

    python -m experiments.publish docs/results runs/NAME/HASH ...
    python -m experiments.publish docs/results

The first command copies tables of finished runs and sweeps (of a sweep of sweeps: of its parts) with seven significant
digits: the tables that the claims of their figures read, and the tables that the figures draw. It copies settings if a
claim reads them, and records the command, versions and machine, and the criteria of that day. Both commands judge the
claims from these copies, and write their numbers and verdicts into claims.csv and the page docs/results.md beside the
folder. No JAX is needed.
"""

import contextlib
import pathlib
import re
import shutil
from collections.abc import Iterator

import yaml

from analysis import figures
from analysis.report import nested
from analysis.report.published import DIGITS, MADE_BY, numbers, page
from analysis.tables import extra_seeds
from analysis.tables.columns import Clusters, Table
from analysis.tables.select import NotMeasured
from lab.learners.roles import ROLES
from lab.runs.directory import RunDirectory
from lab.runs.own_files import WRITTEN, write

CRITERIA = "criteria"  # a table
LARGE = 60_000  # bytes of a table
ELSEWHERE = ("run", "device", "hosts", "tracker", "checkpoint")  # sections that change no table


class Watched(RunDirectory):
    """A directory that records the names of the tables read from it, and whether its settings are read."""

    def __init__(self, path: pathlib.Path):
        super().__init__(path)
        self.tables: set[str] = set()
        self.settings = False

    def read_table(self, name: str) -> list[dict[str, float | str]]:
        self.tables.add(name)
        return super().read_table(name)

    def read_config(self) -> dict:
        self.settings = True
        return super().read_config()


def publish(directory: RunDirectory, folder: pathlib.Path) -> None:
    """Copy the tables of a finished run or sweep, or of all points of a sweep of experiments.

    Args:
        directory: the directory of the run or sweep.
        folder: receives the copies, in a folder per figure.
    """
    summary = directory.read_summary()
    if nested.is_nested(summary):
        for member in nested.members(directory).values():
            publish(member, folder)
    else:
        _keep(directory, summary["figure"], folder)
    _remove_lists(folder)


def _keep(directory: RunDirectory, name: str, folder: pathlib.Path) -> None:
    """Copy the tables that one figure's claims read and that it draws, and record the command and versions that made
    them.
    """
    watched = Watched(directory.path)
    figures.evaluate_claims(name, watched, {})
    watched.tables |= _drawn(directory, name)
    copy = RunDirectory(folder / name)
    copy.path.mkdir(parents=True, exist_ok=True)
    for table in sorted(watched.tables | ({"points"} if directory.has_table("points") else set())):
        copy.write_table(table, [short(row) for row in _of_learners(name, table, directory)])
    _keep_further(directory, copy, name, watched.tables)
    if watched.settings:
        settings = _same_anywhere(directory.read_config())
        copy.write_text("config.yaml", yaml.safe_dump(settings, sort_keys=False, allow_unicode=True))
    write(copy.path / MADE_BY, made_by(directory.read_summary()["command"], directory))
    keep_criteria(folder, name)


def keep_criteria(folder: pathlib.Path, name: str) -> None:
    """Write criteria.csv: a figure's criteria on the day when its tables are kept. A later change must be declared."""
    claims, _ = figures.claims_of(name)
    if claims:
        rows = [{"statement": claim.statement, "criterion": claim.criterion} for claim in claims]
        RunDirectory(folder / name).write_table(CRITERIA, rows)


def _keep_further(directory: RunDirectory, copy: RunDirectory, name: str, tables: set[str]) -> None:
    """Copy the additions of `decide`, its looks and the rows of further seeds, in place of an earlier copy's."""
    shutil.rmtree(copy.path / extra_seeds.FOLDER, ignore_errors=True)
    (copy.path / f"{extra_seeds.DECIDED}.csv").unlink(missing_ok=True)
    if not extra_seeds.looks(directory):
        return
    copy.write_table(extra_seeds.DECIDED, directory.read_text_table(extra_seeds.DECIDED))
    added = RunDirectory(directory.path / extra_seeds.FOLDER)
    (copy.path / extra_seeds.FOLDER).mkdir()
    for table in sorted(filter(added.has_table, tables)):
        RunDirectory(copy.path / extra_seeds.FOLDER).write_table(table, _of_learners(name, table, added))
    write(copy.path / extra_seeds.FOLDER / MADE_BY, added.read_text(MADE_BY))


def _of_learners(name: str, table: str, directory: RunDirectory) -> list[dict[str, str]]:
    """Return the rows of a table, of large ones only those rows and columns that are of a figure's KEPT_LEARNERS."""
    rows = directory.read_text_table(table)
    learners = getattr(figures.load(name), "KEPT_LEARNERS", ())
    if not learners or table not in (Table.CLUSTERS, Table.CURVES):
        return rows
    others = ROLES.keys() - {*learners}
    return [
        {key: cell for key, cell in row.items() if others.isdisjoint(key.split("."))}
        for row in rows
        if row.get(Clusters.LEARNER) not in others
    ]


def _drawn(directory: RunDirectory, name: str) -> set[str]:
    """Return the tables that a figure draws, except large ones, which would be kept for a picture alone.

    A figure can name large tables that are kept all the same.
    """
    from analysis.figures import style  # Matplotlib is imported when something is drawn

    watched = Watched(directory.path)
    figure = figures.load(name)
    with style.paper(), style.closed(), contextlib.suppress(NotMeasured):
        figure.draw(watched)
    sizes = {table: (directory.path / f"{table}.csv").stat().st_size for table in watched.tables}
    return {table for table, size in sizes.items() if size <= LARGE or table in getattr(figure, "KEEPS", ())}


def write_verdicts(folder: pathlib.Path) -> None:
    """Judge the claims by the kept tables, and write claims.csv and the page. Twice gives the same bytes."""
    claims = judged(folder)
    RunDirectory(folder).write_table("claims", list(numbers(claims)))
    write(folder.with_suffix(".md"), page(folder, everything(claims)))
    _remove_lists(folder)


def judged(folder: pathlib.Path) -> dict[str, list[dict]]:
    """Return {figure: its claims with their verdicts}, judged from the copies, in the order of the figures."""
    there = [name for name in figures.names() if (folder / name).is_dir()]
    return {name: figures.evaluate_claims(name, RunDirectory(folder / name), {}) for name in there}


def everything(claims: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """Return {figure: its claims} of all figures with claims or kept tables; without tables claims have no verdict."""
    unmeasured = {name: figures.unmeasured_claims(name, "no tables are kept") for name in figures.names()}
    return {name: claims.get(name, of_figure) for name, of_figure in unmeasured.items() if of_figure or name in claims}


def made_by(command: str, directory: RunDirectory) -> str:
    """Return the origin of a run: the command without paths of files, versions, the processor, the commit, and the
    checksums of its model and texts."""
    environment = directory.read_environment()
    command = re.sub(r"\b(data\.dir|data\.path|text\.path|text\.train)=\S+", r"\1=DIRECTORY", command)
    command = re.sub(r" run\.\w+=\S+", "", command)  # keys of paths and of display change no table
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    processor = environment["processor"] if environment["backend"] == "cpu" else ", ".join(environment["devices"])
    machine = f"Python {environment['python']} on {environment['cpus']} cores, {processor}"
    inputs = "".join(f"{name}.sha256 {' '.join(sums)}\n" for name, sums in _checksums(directory.read_config()))
    return f"{command}\n{versions}\n{machine}\ncommit {environment['git_revision']}\n{inputs}"


def _checksums(settings: dict) -> Iterator[tuple[str, list[str]]]:
    """Yield the sections of a run's settings with checksums of files: of a model, of texts."""
    for name, section in settings.items():
        if isinstance(section, dict) and isinstance(section.get("sha256"), list) and section["sha256"]:
            yield name, section["sha256"]


def _same_anywhere(settings: dict) -> dict:
    """Return a run's settings without the machine's and without paths of files."""
    everywhere = {key: value for key, value in settings.items() if key not in ELSEWHERE}
    if "data" in everywhere:
        everywhere["data"] = {key: value for key, value in everywhere["data"].items() if key not in ("dir", "path")}
    return everywhere


def _remove_lists(folder: pathlib.Path) -> None:
    """Remove the lists of own files that a run's directory has; these are copies."""
    for names in folder.rglob(WRITTEN):
        names.unlink()


def short(row: dict[str, str]) -> dict[str, str]:
    """Return a row with seven significant digits, and without the column of the run's directory."""
    return {key: _rounded(text) for key, text in row.items() if key != "run"}


def _rounded(text: str) -> str:
    try:
        return f"{float(text):.{DIGITS}g}" if any(mark in text for mark in ".e") else text
    except ValueError:
        return text
