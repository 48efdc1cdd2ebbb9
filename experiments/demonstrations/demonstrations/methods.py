"""The searches for demonstrations that are compared; one row of `METHODS` per search."""

import dataclasses

from experiments.demonstrations.demonstrations.settings import Demonstrations
from trainers.demonstration_search import Appended, Numbers, Plan

MORE = 3  # factor of the proposals of one path, for as many evaluations as three paths make
LONGER = 2  # factor of the examples, for as many as a prompt with appended demonstrations has


@dataclasses.dataclass(frozen=True)
class Method:
    """One search.

    paths: how many it has. more: each round has `MORE` times the proposals. longer: sets have `LONGER` times the
    examples. appended: the demonstrations that a collapsed path gets.
    """

    paths: int = 1
    more: bool = False
    longer: bool = False
    appended: Appended = Appended.nothing


METHODS: dict[str, Method] = {
    "one": Method(),
    "one_more": Method(more=True),
    "three": Method(paths=3),
    "two_path": Method(paths=2, appended=Appended.path),
    "three_path": Method(paths=3, appended=Appended.path),
    "three_other": Method(paths=3, appended=Appended.other),
    "three_random": Method(paths=3, appended=Appended.random),
    "long": Method(longer=True),
    "long_more": Method(more=True, longer=True),
}
UNION_OF = "three"  # the last sets of this search are also shown together in one prompt
PATHS = max(method.paths for method in METHODS.values())


def plan_of(settings: Demonstrations, method: Method, validation: int) -> Plan:
    """Return the static numbers of a search; searches with the same plan share a compiled program.

    All searches with ordinary sets and proposals have one plan, with the most paths: unused paths cost time, but less
    than compiling another program.
    """
    return Plan(
        paths=1 if method.more or method.longer else PATHS,
        proposals=settings.proposals * (MORE if method.more or method.longer else 1),
        examples=settings.examples * (LONGER if method.longer else 1),
        rounds=settings.rounds,
        validation=validation,
        test=settings.queries,
    )


def numbers_of(settings: Demonstrations, method: Method) -> Numbers:
    """Return the traced numbers of a search."""
    proposals = settings.proposals * (MORE if method.more else 1)
    return Numbers(method.paths, proposals, int(method.appended), settings.step, settings.floor, settings.threshold)


def evaluations(settings: Demonstrations, method: Method) -> int:
    """Return how many proposed sets a search scores for one user."""
    return method.paths * settings.rounds * settings.proposals * (MORE if method.more else 1)
