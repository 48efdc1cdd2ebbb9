"""The list of runs in the terminal. A run's name and hash are never cut, however narrow the terminal is."""

import time
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from analysis.shelf.item import STALE, Item, one_line
from lab.runs.console import COMPACT, CONSOLE, say
from lab.runs.scan import State

SHORT = 40  # most characters of a value
MANY, BRIEF = 5, 120  # with more runs than this, answers are cut to the second number of characters
UNITS = ((86400 * 365, "y"), (86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def print_list(items: Sequence[Item], differences: dict[str, dict[str, str]], by_experiment: bool) -> None:
    """Print runs: experiment by experiment with its question, or in one table in the order that is given."""
    if not by_experiment:
        return CONSOLE.print(_table(items, differences, with_experiment=True))
    for name in dict.fromkeys(item.listed.experiment for item in items):
        group = [item for item in items if item.listed.experiment == name]
        CONSOLE.print(Text.assemble((one_line(name), "bold"), f"  {group[0].question}"), soft_wrap=False)
        CONSOLE.print(_table(group, differences, with_experiment=False))


def print_total(items: Sequence[Item], total: int, folder: str) -> None:
    """Print the number of runs shown, their states, and their size."""
    counts = {state.name: sum(item.listed.state is state for item in items) for state in State}
    stale = sum(bool(item.stale) for item in items)
    notes = {State.done.name: f" ({stale} {STALE})"} if stale else {}
    states = ", ".join(f"{count} {name}{notes.get(name, '')}" for name, count in counts.items() if count)
    several = f"{len(items)} of {total} runs" if len(items) < total else f"{total} runs" if total != 1 else "1 run"
    say(f"{several} in {folder}, {size(sum(item.listed.size for item in items))}{f': {states}' if states else ''}")


def settings_text(settings: dict[str, str]) -> str:
    """Return settings as overrides, long values cut."""
    return "  ".join(f"{key}={one_line(value, SHORT)}" for key, value in settings.items())


def size(number: float) -> str:
    """Return a number of bytes as '1.2 MB'."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"


def age(changed: float) -> str:
    """Return the time since a moment, in its largest unit: '3 d'."""
    seconds = max(time.time() - changed, 0.0)
    length, unit = next(((length, unit) for length, unit in UNITS if seconds >= length), UNITS[-1])
    return f"{seconds // length:.0f} {unit}"


def _table(items: Sequence[Item], differences: dict[str, dict[str, str]], with_experiment: bool) -> Table:
    table = Table(**COMPACT)
    names = [name for item in items for name in (item.path.name, *[item.listed.experiment] * with_experiment)]
    table.add_column("run", no_wrap=True, overflow="fold", min_width=max(map(len, names), default=0))
    table.add_column("state", no_wrap=True, min_width=7)
    for head in ("age", "seconds", "size"):
        table.add_column(head, no_wrap=True, justify="right")
    table.add_column("settings that differ; answer", overflow="fold", ratio=1)
    for item in items:
        name = f"{item.listed.experiment}\n{item.path.name}" if with_experiment else item.path.name
        says = one_line(item.says, BRIEF) if len(items) > MANY else item.says
        stale = f"{STALE}: {one_line(item.stale, BRIEF)}" if item.stale else ""
        lines = [settings_text(differences.get(item.name, {})), _sweep(item), says, stale]
        table.add_row(
            "\n".join(escape(one_line(line)) for line in name.split("\n")),
            item.state,
            age(item.listed.changed),
            "-" if item.seconds is None else f"{item.seconds:.0f}" if item.seconds >= 10 else f"{item.seconds:.1f}",
            size(item.listed.size),
            escape("\n".join(filter(None, lines))),
        )
    return table


def _sweep(item: Item) -> str:
    return "" if item.points is None else f"a sweep of {item.points} points" if item.points != 1 else "a sweep"
