"""`python run.py runs compare A B`: the settings in which two runs differ, and their numbers beside each other."""

import dataclasses
import math
import pathlib

from rich.markup import escape
from rich.table import Table

from analysis.figures.estimates import Estimate, cluster_error
from analysis.figures.labels import word_of
from analysis.figures.words import main_names
from analysis.report.blocks import Number
from analysis.results import declared
from analysis.shelf.item import Item, differing_keys, one_line, read_all
from lab.config.imported import PROGRAM
from lab.config.kinds import KINDS
from lab.errors import ConfigError
from lab.runs.console import COMPACT, CONSOLE, say
from lab.runs.directory import RunDirectory

# What a run is tested on depends on no key of these sections: a seed draws its test episodes from keys of their own.
NO_EPISODES = ("baselines", "device", "learners", "model", "seeds", "train")


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
    one_seeds, other_seeds = by_seed(one), by_seed(other)
    table = _table("Numbers (mean ± standard error)", ("number", "A", "B", "B - A", "error of B - A"))
    for name in shared:
        apart = difference(one, other, name, one_seeds, other_seeds, same_episodes=not others)
        pairs = [(item.numbers[name], item.numbers.get(f"{name}.stderr")) for item in (one, other)]
        cells = [Number(*pair, significant=True).text(4, narrow=True) for pair in (*pairs, (apart.mean, apart.stderr))]
        table.add_row(escape(word_of(kind, name).title), *cells, apart.how)
    CONSOLE.print(table)


def _print_claims(one: Item, other: Item) -> None:
    verdicts = dict(other.claims)
    both = [(claim, outcome, verdicts[claim]) for claim, outcome in one.claims if claim in verdicts]
    if both:
        table = _table("Claims", ("statement", "A", "B"))
        for row in both:
            table.add_row(*map(escape, row))
        CONSOLE.print(table)


def _table(title: str, heads: tuple[str, ...]) -> Table:
    table = Table(title=title, **COMPACT)
    for place, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=False, ratio=None if place else 1)
    return table


@dataclasses.dataclass(frozen=True)
class Difference:
    """A number of a second run minus the same number of a first run.

    stderr: None if it is not known. seeds: the seeds that both runs have, if the difference is taken within each seed.
    Of one seed the error is over the test rows, which both runs share.
    """

    mean: float
    stderr: float | None
    seeds: tuple[int, ...] = ()

    @property
    def how(self) -> str:
        """Return how the error was made."""
        if len(self.seeds) == 1:
            return "paired over the test rows"
        if self.seeds:
            return f"paired over {len(self.seeds)} seeds"
        return "" if self.stderr is None else "not paired"


def other_episodes(one: Item, other: Item) -> list[str]:
    """Return the settings that differ and on which the test episodes of a seed may depend; `kind` for two kinds."""
    if one.kind != other.kind:
        return ["kind"]
    return [key for key in differing_keys([one, other]) if key.split(".")[0] not in NO_EPISODES]


def difference(
    one: Item, other: Item, name: str, one_seeds: dict, other_seeds: dict, same_episodes: bool = False
) -> Difference:
    """Return a number of run `other` minus the same number of run `one`; both have it.

    Args:
        one_seeds, other_seeds: `by_seed` of both.
        same_episodes: each seed was tested on the same episodes in both, so that a single seed of a real table is
            paired by clusters of its test rows.
    """
    if name in one_seeds and name in other_seeds and one_seeds[name].by_seed.keys() & other_seeds[name].by_seed.keys():
        paired = other_seeds[name] - one_seeds[name]
        seeds = tuple(sorted(int(seed) for seed in paired.by_seed))
        if len(seeds) > 1:
            return Difference(paired.mean, paired.stderr, seeds)
        if same_episodes and one_seeds[name].clusters.keys() == other_seeds[name].clusters.keys() != set():
            return Difference(paired.mean, cluster_error(paired.clusters), seeds)
    errors = [item.numbers.get(f"{name}.stderr") for item in (one, other)]
    apart = other.numbers[name] - one.numbers[name]
    if errors[0] is None or errors[1] is None:
        return Difference(apart, None)
    return Difference(apart, math.hypot(errors[0], errors[1]))


def by_seed(item: Item) -> dict[str, Estimate]:
    """Return {headline number: its values by seed} of tables that agree with the summary, of two seeds or more or with
    clusters of test rows.

    A kind without the part `results` does not say where its numbers come from.
    """
    if item.kind not in KINDS or "results" not in KINDS[item.kind].parts:
        return {}
    try:
        numbers = declared.headlines(KINDS[item.kind].load("results"), RunDirectory(item.path))
    except Exception:  # a table of another version, or damaged
        return {}
    repeated = {name: each for name, each in numbers.items() if len(each.by_seed) > 1 or each.clusters}
    shared = {name: each for name, each in repeated.items() if name in item.numbers}
    return {name: each for name, each in shared.items() if math.isclose(each.mean, item.numbers[name], rel_tol=1e-6)}
