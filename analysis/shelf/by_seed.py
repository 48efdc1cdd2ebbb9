"""The values of a run's numbers by seed, and the difference of a number between two runs."""

import dataclasses
import math

from analysis.figures.estimates import Estimate
from analysis.results import declared
from analysis.shelf.item import Item
from lab.config.kinds import KINDS
from lab.runs.directory import RunDirectory


@dataclasses.dataclass(frozen=True)
class Difference:
    """A number of a second run minus the same number of a first run.

    stderr: None if it is not known. seeds: the seeds that both runs have, if the difference is taken within each seed.
    """

    mean: float
    stderr: float | None
    seeds: tuple[int, ...] = ()

    @property
    def how(self) -> str:
        """Return how the error was made."""
        if self.seeds:
            return f"paired over {len(self.seeds)} seeds"
        return "" if self.stderr is None else "not paired"


def difference(one: Item, other: Item, name: str, one_seeds: dict, other_seeds: dict) -> Difference:
    """Return a number of run `other` minus the same number of run `one`; both have it.

    Args:
        one_seeds, other_seeds: `by_seed` of both.
    """
    if name in one_seeds and name in other_seeds:
        shared = one_seeds[name].by_seed.keys() & other_seeds[name].by_seed.keys()
        if len(shared) > 1:
            paired = other_seeds[name] - one_seeds[name]
            return Difference(paired.mean, paired.stderr, tuple(sorted(int(seed) for seed in paired.by_seed)))
    errors = [item.numbers.get(f"{name}.stderr") for item in (one, other)]
    apart = other.numbers[name] - one.numbers[name]
    if errors[0] is None or errors[1] is None:
        return Difference(apart, None)
    return Difference(apart, math.hypot(errors[0], errors[1]))


def by_seed(item: Item) -> dict[str, Estimate]:
    """Return {headline number: its values by seed} of tables with two seeds or more that agree with the summary.

    A kind without the part `results` does not say where its numbers come from.
    """
    if item.kind not in KINDS or "results" not in KINDS[item.kind].parts:
        return {}
    try:
        numbers = declared.headlines(KINDS[item.kind].load("results"), RunDirectory(item.path))
    except Exception:  # a table of another version, or damaged
        return {}
    several = {name: each for name, each in numbers.items() if len(each.by_seed) > 1 and name in item.numbers}
    return {name: each for name, each in several.items() if math.isclose(each.mean, item.numbers[name], rel_tol=1e-6)}
