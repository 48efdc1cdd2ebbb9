"""The terminal output of a finished run or sweep: its results, verdicts on claims, notes, seconds and paths."""

import dataclasses
from collections.abc import Iterable

from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table as RichTable

from analysis.report import generic
from analysis.report.blocks import Cell, Number, Table, plain, verdict
from analysis.report.present import INSTEAD
from lab.runs import machine
from lab.runs.console import COMPACT, CONSOLE, say
from lab.runs.directory import RunDirectory

DIGITS = 4  # of a number; a page has more
NAMES = 0.4  # the least share of the terminal's width for names of rows, if they need it


def results(directory: RunDirectory) -> None:
    """Print the results of a finished run or sweep, read from the directory's summary."""
    answer(directory)
    files(directory)


def answer(directory: RunDirectory) -> None:
    """Print the answer, the numbers and the verdicts of a run or sweep that has been judged."""
    summary = directory.read_summary()
    if sentence := generic.answer(summary):
        say(sentence)
    for block in generic.of_points(summary) if "points" in summary else generic.of_run(summary):
        _print(block)
    for claim in summary["claims"]:
        place = f"{claim['point']}: " if "point" in claim else ""
        why = f"; {claim['why'] or claim['otherwise']}" if claim["why"] or claim["otherwise"] else ""
        mark = verdict(claim).upper() if claim["holds"] is False else verdict(claim)
        say(f"{mark}: {place}{claim['statement']} ({claim['source']}; {claim['criterion']}{why})")
    _notes(note for note in summary["notes"] if not note.startswith(INSTEAD))
    for name, why in summary.get("failed", {}).items():
        say(f"failed: {name}: {why}")


def files(directory: RunDirectory) -> None:
    """Print the seconds and the paths of a run or sweep that has been drawn."""
    summary = directory.read_summary()
    _notes(note for note in summary["notes"] if note.startswith(INSTEAD))
    seconds = dict(summary["seconds"])
    training = f" ({seconds.pop('processor'):.1f} of the processor)" if "processor" in seconds else ""
    spent = "  ".join(f"{name} {value:.1f}{training * (name == 'train')}" for name, value in seconds.items())
    say(f"seconds: {spent}; this process so far: {machine.seconds():.1f}")
    _paths(directory, summary)


def _notes(notes: Iterable[str]) -> None:
    for note in notes:
        say(f"note: {note}")


def _paths(directory: RunDirectory, summary: dict) -> None:
    """Print the paths of the result's files, and the command that repeats it."""
    if "points" in summary:
        say(f"table:   {directory.path / 'points.csv'}")
    if (directory.path / "report.md").exists():
        say(f"text:    {directory.path / 'report.md'}")
    say(f"report:  {directory.path / 'report.html'}")
    say(f"figures: {directory.path / 'figures'}")
    say(f"again:   {summary['command']} run.force=true")


def _print(table: Table) -> None:
    for part in _parts(table):
        CONSOLE.print(_table(part))


def _parts(table: Table) -> list[Table]:
    """Return the table alone or, where the terminal is too narrow for it, several tables with some of its columns each.

    Each of them begins with the first column. A number is never cut off, since it would read as another number.
    """
    if _fits(table):
        return [table]
    groups: list[list[int]] = [[]]
    for place in range(1, len(table.heads)):
        if groups[-1] and not _fits(_with_columns(table, [*groups[-1], place])):
            groups.append([])
        groups[-1].append(place)
    first, *others = (_with_columns(table, places) for places in groups)
    return [first, *(dataclasses.replace(other, caption="") for other in others)]


def _with_columns(table: Table, places: list[int]) -> Table:
    """Return a table with the first column and the columns of the given indices."""
    heads, *rows = (tuple(row[place] for place in (0, *places)) for row in (table.heads, *table.rows))
    return dataclasses.replace(table, heads=heads, rows=rows)


def _fits(table: Table) -> bool:
    unlimited = CONSOLE.options.update(width=10_000)
    return Measurement.get(CONSOLE, unlimited, _table(table)).minimum <= CONSOLE.width


def _table(table: Table) -> RichTable:
    rich = RichTable(title=escape(table.caption) or None, **COMPACT)
    cells = [[_text(cell) for cell in row] for row in table.rows]
    for number, head in enumerate(map(plain, table.heads)):
        # An unwrapped column needs the width of its longest line; by itself it would claim only its longest word.
        lines = [line for text in (head, *(row[number] for row in cells)) for line in text.splitlines()]
        least = max(map(len, lines), default=0)
        if number == 0:  # names are wrapped, but not to a few letters a line
            least = min(least, max(14, int(NAMES * CONSOLE.width)))
        rich.add_column(escape(head), overflow="fold", no_wrap=number > 0, min_width=least)
    for row in cells:
        rich.add_row(*row)
    return rich


def _text(cell: Cell) -> str:
    if isinstance(cell, Number):
        return cell.text(DIGITS, narrow=True)
    return escape(plain(cell))
