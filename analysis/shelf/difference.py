"""The difference of a number between two runs, with its error, which is paired over what both runs share: seeds; for
one seed clusters of test rows, or blocks of test episodes.
"""

import dataclasses
import math

from analysis.figures.estimates import Estimate, cluster_error
from analysis.results import declared
from analysis.shelf.item import Item, differing_keys, is_number
from analysis.tables.columns import Table
from lab.config.kinds import results_of
from lab.runs.directory import RunDirectory

# What a run is tested on depends on no key of these sections: a seed draws its test episodes from keys of their own.
NO_EPISODES = ("baselines", "device", "learners", "model", "seeds", "train")


@dataclasses.dataclass(frozen=True)
class Difference:
    """A number of a second run minus the same number of a first run. Of one seed the error is over the test rows, or
    blocks of test episodes, which both runs share."""

    mean: float
    stderr: float | None  # None if it is not known
    seeds: tuple[int, ...] = ()  # the seeds that both runs have, if the difference is taken within each seed
    blocks: int = 0  # the number of blocks of test episodes, if the difference is taken within each block

    @property
    def how(self) -> str:
        """Return how the error was made."""
        if self.blocks:
            return f"paired over {self.blocks} blocks of episodes"
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
    one: Item,
    other: Item,
    name: str,
    one_seeds: dict,
    other_seeds: dict,
    same_episodes: bool = False,
    blocks: tuple[dict, dict] = ({}, {}),
) -> Difference:
    """Return a number of run `other` minus the same number of run `one`; both have it.

    Args:
        one_seeds, other_seeds: `by_seed` of both.
        blocks: `by_block` of both.
        same_episodes: each seed was tested on the same episodes in both, so that a single seed of a real table is
            paired by clusters of its test rows, and a single seed of a synthetic task by blocks of its episodes.
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
    a, b = ([*each.get(name, [])] for each in blocks)
    if same_episodes and 1 < len(a) == len(b):
        parts = {("", float(block)): b[block] - a[block] for block in range(len(a))}
        return Difference(apart, cluster_error(parts), blocks=len(a))
    if errors[0] is None or errors[1] is None:
        return Difference(apart, None)
    return Difference(apart, math.hypot(errors[0], errors[1]))


def by_seed(item: Item) -> dict[str, Estimate]:
    """Return {headline number: its values by seed} of tables that agree with the summary, of two seeds or more or with
    clusters of test rows.

    A kind without the part `results` does not say where its numbers come from.
    """
    try:
        results = results_of(item.kind)
        numbers = declared.headlines(results, RunDirectory(item.path)) if results else {}
    except Exception:  # a table of another version, or damaged
        return {}
    repeated = {name: each for name, each in numbers.items() if len(each.by_seed) > 1 or each.clusters}
    shared = {name: each for name, each in repeated.items() if name in item.numbers}
    return {name: each for name, each in shared.items() if math.isclose(each.mean, item.numbers[name], rel_tol=1e-6)}


def by_block(item: Item) -> dict[str, list[float]]:
    """Return {number: the parts of its blocks of test episodes} of a run of one seed on a synthetic task."""
    try:
        rows = RunDirectory(item.path).read_table(Table.BLOCKS) if Table.BLOCKS in item.tables else []
    except Exception:  # damaged, or somebody else's
        return {}
    columns = {name: [float(cell) for row in rows if is_number(cell := row.get(name))] for name in item.numbers}
    return {name: column for name, column in columns.items() if len(column) == len(rows)}
