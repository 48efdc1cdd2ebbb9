"""What the terminal shows of a finished run or sweep: its results, verdicts on claims, notes, seconds and paths."""

import dataclasses

from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table as RichTable

from analysis.report import kinds
from analysis.report.blocks import Block, Cell, Label, Number, Table, verdict
from lab.runs.console import COMPACT, CONSOLE, say
from lab.runs.directory import RunDirectory


def results(directory: RunDirectory) -> None:
    """Print them, from the directory's summary."""
    summary = directory.read_summary()
    if sentence := kinds.answer(summary):
        say(sentence)
    for block in kinds.of_points(summary) if "points" in summary else kinds.of_run(summary):
        _print(block)
    for claim in summary["claims"]:
        place = f"{claim['point']}: " if "point" in claim else ""
        why = f"; {claim['why'] or claim['otherwise']}" if claim["why"] or claim["otherwise"] else ""
        mark = verdict(claim).upper() if claim["holds"] is False else verdict(claim)
        say(f"{mark}: {place}{claim['statement']} ({claim['source']}; {claim['criterion']}{why})")
    for note in summary["notes"]:
        say(f"note: {note}")
    for name, why in summary.get("failed", {}).items():
        say(f"failed: {name}: {why}")
    say("seconds: " + "  ".join(f"{name} {value:.1f}" for name, value in summary["seconds"].items()))
    _paths(directory, summary)


def _paths(directory: RunDirectory, summary: dict) -> None:
    """Where everything is, and the command that repeats it."""
    if "points" in summary:
        say(f"table:   {directory.path / 'points.csv'}")
    if (directory.path / "report.md").exists():
        say(f"text:    {directory.path / 'report.md'}")
    say(f"report:  {directory.path / 'report.html'}")
    say(f"figures: {directory.path / 'figures'}")
    say(f"again:   {summary['command']} run.force=true")


def _print(block: Block) -> None:
    if isinstance(block, str):
        return say(block)
    for part in _parts(block):
        CONSOLE.print(_table(part))


def _parts(table: Table) -> list[Table]:
    """The table, or where the terminal is too narrow for it several with some of its columns each, the first in all:
    a number that is cut off is another number."""
    parts = [table]
    while not _fits(parts[-1]) and (columns := len(parts[-1].heads)) > 2:
        last = parts.pop()
        fitting = next((count for count in range(columns - 1, 2, -1) if _fits(_of(last, slice(1, count)))), 2)
        parts += [_of(last, slice(1, fitting)), dataclasses.replace(_of(last, slice(fitting, None)), caption="")]
    return parts


def _of(table: Table, columns: slice) -> Table:
    """The first column and these."""
    rows = [(row[0], *row[columns]) for row in table.rows]
    return dataclasses.replace(table, heads=(table.heads[0], *table.heads[columns]), rows=rows)


def _fits(table: Table) -> bool:
    if table.width is not None:
        return True
    unlimited = CONSOLE.options.update(width=10_000)
    return Measurement.get(CONSOLE, unlimited, _table(table)).minimum <= CONSOLE.width


def _table(table: Table) -> RichTable:
    rich = RichTable(title=escape(table.caption) or None, width=table.width, **COMPACT)
    for number, head in enumerate(table.heads):
        rich.add_column(escape(head), overflow="fold", no_wrap=number > 0, min_width=14 if number == 0 else None)
    for row in table.rows:
        rich.add_row(*(_text(cell, table.digits) for cell in row))
    return rich


def _text(cell: Cell, digits: int) -> str:
    if isinstance(cell, Number):
        return cell.text(digits, narrow=True)
    return escape(cell.text if isinstance(cell, Label) else cell)
