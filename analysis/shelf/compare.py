"""`python run.py runs compare A B`: the settings in which two runs differ, and their numbers beside each other."""

import pathlib

from rich.markup import escape
from rich.table import Table

from analysis.figures.labels import main_names, word_of
from analysis.report.blocks import Number
from analysis.shelf.difference import by_block, by_seed, difference, other_episodes
from analysis.shelf.item import Item, differing_keys, one_line, read_all
from lab.config.imported import PROGRAM
from lab.errors import ConfigError
from lab.runs.console import COMPACT, CONSOLE, say

LOSS = "loss.transformer"  # of a comparison the first of its numbers; then come those beside its reference


def compare(folder: str, own_words: list[str], names: list[str]) -> None:
    """Print how two runs below a run.dir differ.

    Args:
        names: two directories or hashes; the beginning of a hash is enough.

    Raises:
        ConfigError: there are not two names, or a name is no run there.
    """
    if len(names) != 2:
        raise ConfigError(
            f"runs compare: allowed are two runs, and {len(names)} {'was' if len(names) == 1 else 'were'} given; give "
            "directories or hashes"
        )
    items = read_all(folder)
    one, other = (find(name, items) for name in names)
    if one.path == other.path:
        raise ConfigError(f"runs compare: {one.name} twice; allowed are two different runs")
    for letter, item in (("A", one), ("B", other)):
        state = "" if item.listed.state.name == "done" else f" ({item.listed.state.name})"
        say(f"{letter}  {item.name}{state}: {item.says or item.question}")
    _print_settings(one, other)
    _print_numbers(one, other)
    _print_claims(one, other)


def find(name: str, items: list[Item]) -> Item:
    """Return the run of a directory, NAME/HASH, or the beginning of a hash.

    Raises:
        ConfigError: no run, or several runs match.
    """
    path, is_path = pathlib.Path(name).resolve(), "/" in name.rstrip("/")
    exact = [
        item
        for item in items
        if name.strip("/") in (item.name, item.path.name) or (is_path and item.path.resolve() == path)
    ]
    chosen = exact or [item for item in items if item.path.name.startswith(name)]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        several = ", ".join(item.name for item in chosen[:3])
        raise ConfigError(f"{one_line(name)}: {len(chosen)} runs are called so, {several} among them; give more of it")
    raise ConfigError(f"{one_line(name)}: no run; allowed are directories and hashes that `{PROGRAM} runs` lists")


def _print_settings(one: Item, other: Item) -> None:
    keys = differing_keys([one, other])
    table = _table("Settings that differ", ("key", "A", "B"))
    for key in keys:
        values = [item.settings.get(key, "-") for item in (one, other)]
        table.add_row(*(escape(one_line(text)) for text in (key, *values)))
    CONSOLE.print(table if keys else "No settings differ.")


def _print_numbers(one: Item, other: Item) -> None:
    shared = [name for name in main_names(one.numbers) if name in other.numbers]
    if not shared:
        return say("They have no number in common.")
    kind = one.kind if one.kind == other.kind else ""
    others = other_episodes(one, other)
    say(f"Their episodes may differ: {', '.join(others)}." if others else "A seed has the same test episodes in both.")
    one_seeds, other_seeds, blocks = by_seed(one), by_seed(other), (by_block(one), by_block(other))
    rows = {}
    for name in sorted(shared, key=lambda name: (name != LOSS, not name.startswith(f"{one.reference}."))):
        apart = difference(one, other, name, one_seeds, other_seeds, same_episodes=not others, blocks=blocks)
        pairs = [(item.numbers[name], item.numbers.get(f"{name}.stderr")) for item in (one, other)]
        cells = [Number(*pair).text(4, narrow=True) for pair in (*pairs, (apart.mean, apart.stderr))]
        rows[word_of(kind, name).title] = apart, cells
    equal = [title for title, (apart, _) in rows.items() if apart.mean == apart.stderr == 0]
    ways = {apart.how for title, (apart, _) in rows.items() if title not in equal} - {""}
    same_way = f"; differences {ways.pop()}" if len(ways) == 1 else ""
    heads = ("number", "A", "B", "B - A", "error of B - A")
    table = _table(f"Numbers (mean ± standard error{same_way})", heads[: 4 if same_way else 5], whole=(1, 2, 3))
    for title, (apart, cells) in rows.items():
        if title not in equal:
            table.add_row(escape(title), *cells, *([] if same_way else [apart.how]))
    CONSOLE.print(table)
    if equal:
        say(f"Equal in both: {'; '.join(equal)}.")


def _print_claims(one: Item, other: Item) -> None:
    verdicts = dict(other.claims)
    both = [(claim, outcome, verdicts[claim]) for claim, outcome in one.claims if claim in verdicts]
    if both:
        table = _table("Claims", ("statement", "A", "B"))
        for row in both:
            table.add_row(*map(escape, row))
        CONSOLE.print(table)


def _table(title: str, heads: tuple[str, ...], whole: tuple[int, ...] = ()) -> Table:
    """Return a table without rows; cells of the columns `whole`, numbers, are never broken."""
    table = Table(title=title, **COMPACT)
    for place, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=place in whole, ratio=None if place else 1)
    return table
