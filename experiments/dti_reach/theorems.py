"""What is true of a decoder of click streams for any weights, and whether it was measured so.

An answer depends on interactions up to some distance, its reach, which follows from what tokens and [SUM]s see in each
layer. It is that of the sliding window where the reach is at most the window n, and where no score depends on how far
the target is from the beginning of the prompt: positions are relative, no [SUM] in between moves them, and queries and
keys are rotated both or neither.
"""

import dataclasses

from lab.attention.reach import Full
from lab.config.choices import Position, StreamScheme
from lab.learners.stream_schemes import SCHEMES, Summary

# Answers are of the order of 1 and go through some hundred roundings of 1e-16 each.
TOLERANCE = 1e-12
# Different answers were never closer than 1e-3 with random weights; this is a thousand times what equal ones may be.
DIFFERENCE = 1e-9

FIRST, ALL, BANDED, REACH = "first_target", "all_targets", "banded", "reach"
EQUAL, DIFFERENT = "equal", "different"


@dataclasses.dataclass(frozen=True)
class Case:
    """isolates: the reset has a = 1 at every distance (ymin = ymax = 1), which leaves nothing of a state that has seen
    others."""

    scheme: StreamScheme
    positions: Position
    layers: int
    isolates: bool = False

    @property
    def row(self) -> dict:
        """Columns of a table."""
        return {
            "scheme": self.scheme.value,
            "positions": self.positions.value,
            "layers": self.layers,
            "isolates": int(self.isolates),
        }


def cases(schemes: list[StreamScheme], positions: list[Position], layers: list[int]) -> list[Case]:
    """Every scheme, those with a reset also where it isolates, with all positions and numbers of layers."""
    return [
        Case(scheme, kind, count, isolates)
        for scheme in schemes
        for isolates in ([False, True] if SCHEMES[scheme].reset else [False])
        for kind in positions
        for count in layers
    ]


def reach(case: Case, window: int, longest: int) -> int:
    """How many interactions back an answer depends on, of `longest` that there are before its target.

    A token hears, through the next layer, of what those it sees have heard of, or of these alone where they are reset.
    """
    scheme = SCHEMES[case.scheme]
    if isinstance(scheme.reach, Full):
        return longest
    of_tokens = of_summary = 0
    for layer in range(case.layers):
        tokens_see, summary_sees = scheme.reach.limits(window, layer, case.layers)

        def heard(sees: int, is_summary: bool, layer: int = layer, of_tokens: int = of_tokens) -> int:
            resets = case.isolates and scheme.reset.applies(layer, case.layers, is_summary)
            return max(of_tokens, sees) if resets else of_tokens + sees

        of_summary = max(of_summary, heard(summary_sees, is_summary=True))
        of_tokens = heard(tokens_see, is_summary=False)
    return min(of_summary, longest)


def is_shared(case: Case, window: int, longest: int) -> bool:
    """Whether every target of a prompt has the answer of its sliding window."""
    scheme = SCHEMES[case.scheme]
    absolute = (
        case.positions is Position.learned
        or (scheme.count_summaries and case.positions is not Position.none)
        or (scheme.summary is Summary.literal and case.positions is Position.rope)
    )
    return reach(case, window, longest) <= window and not absolute


def rows(case: Case, window: int, errors: dict[str, float], farthest: int, longest: int) -> list[dict]:
    """One row per statement: what was expected, what was measured, and whether it holds.

    Args:
        errors: {identity: the largest difference of logits}.
        farthest: the largest distance with a gradient that is not zero.
    """
    shared = is_shared(case, window, longest)
    relations = {FIRST: EQUAL, ALL: EQUAL if shared else DIFFERENT, BANDED: EQUAL}
    found = []
    for identity, relation in relations.items():
        error, bound = errors[identity], TOLERANCE if relation == EQUAL else DIFFERENCE
        holds = error <= bound if relation == EQUAL else error > bound
        found.append(_row(case, identity, relation, error, bound, holds))
    expected = reach(case, window, longest)
    return [*found, _row(case, REACH, EQUAL, farthest, expected, farthest == expected)]


def _row(case: Case, identity: str, relation: str, measured: float, bound: float, holds: bool) -> dict:
    return case.row | {
        "identity": identity,
        "relation": relation,
        "measured": measured,
        "bound": bound,
        "holds": int(holds),
    }
