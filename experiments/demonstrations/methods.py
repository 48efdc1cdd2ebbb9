"""The ways of choosing demonstrations that are compared. One row per search."""

import dataclasses

from experiments.demonstrations.search import Appended, Numbers, Plan
from experiments.demonstrations.settings import Demonstrations

MORE = 3  # times the proposals in one path: as many evaluations as three paths have
LONGER = 2  # times the examples: as many as a perturbed prompt has


@dataclasses.dataclass(frozen=True)
class Method:
    """paths: side by side. more: more proposals in each round. longer: larger sets. appended: to collapsed paths."""

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
    "three_random": Method(paths=3, appended=Appended.random),
    "long": Method(longer=True),
    "long_more": Method(more=True, longer=True),
}
UNION_OF = "three"  # whose last sets are shown together, without perturbation
PATHS = max(method.paths for method in METHODS.values())


def plan_of(settings: Demonstrations, method: Method, validation: int) -> Plan:
    """Searches that differ in numbers alone have one plan, and share a program: those with sets of N and a round's
    ordinary proposals run with the most paths; unused ones cost time, but less than to compile another program."""
    return Plan(
        paths=1 if method.more or method.longer else PATHS,
        proposals=settings.proposals * (MORE if method.more or method.longer else 1),
        examples=settings.examples * (LONGER if method.longer else 1),
        rounds=settings.rounds,
        validation=validation,
        test=settings.queries,
    )


def numbers_of(settings: Demonstrations, method: Method) -> Numbers:
    proposals = settings.proposals * (MORE if method.more else 1)
    return Numbers(method.paths, proposals, int(method.appended), settings.step, settings.floor, settings.threshold)


def evaluations(settings: Demonstrations, method: Method) -> int:
    """How many sets a search scores for a user."""
    return method.paths * settings.rounds * settings.proposals * (MORE if method.more else 1)
