"""Theorems about decoders of click streams with any weights, and rows that compare them with measurements.

An answer depends on interactions up to some distance, its reach. The reach follows from the attention masks of tokens
and [SUM]s in each layer. An answer equals that of the sliding window if the reach is at most the window n, and if no
score depends on the target's distance from the beginning of the prompt: positions are relative, [SUM]s in between do
not count as positions, and queries and keys are either both rotated or not at all.
"""

import dataclasses

from experiments.clicks.dti_reach import results
from lab.config.choices import Position, StreamScheme
from lab.learners.stream_schemes import SCHEMES, Full, Limit, Summary


@dataclasses.dataclass(frozen=True)
class Case:
    """One kind of decoder.

    isolates: the reset has the weight 1 at every distance (ymin = ymax = 1), which replaces every state that has seen
    other interactions.
    """

    scheme: StreamScheme
    positions: Position
    layers: int
    isolates: bool = False

    @property
    def row(self) -> dict:
        """Return the columns that name the case, which all tables have."""
        return {
            results.SCHEME: self.scheme.value,
            results.POSITIONS: self.positions.value,
            results.LAYERS: self.layers,
            results.ISOLATES: int(self.isolates),
        }

    @property
    def name(self) -> str:
        return ", ".join(f"{column}={value}" for column, value in self.row.items())


def cases(schemes: list[StreamScheme], positions: list[Position], layers: list[int]) -> list[Case]:
    """Return all combinations of schemes, positions and numbers of layers; those with a reset also with `isolates`."""
    return [
        Case(scheme, kind, count, isolates)
        for scheme in schemes
        for isolates in ([False, True] if SCHEMES[scheme].reset else [False])
        for kind in positions
        for count in layers
    ]


def reach(case: Case, window: int, longest: int) -> int:
    """Return the distance, in interactions, up to which an answer depends on the past.

    Through each layer the reach of a token grows by its window: it sees tokens, which depend on the tokens that they
    have seen in the layers below. Where the states are reset, it sees only the tokens themselves.

    Args:
        window: n. longest: how many interactions there are before the target.
    """
    scheme = SCHEMES[case.scheme]
    if isinstance(scheme.reach, Full):
        return longest
    tokens_reach = summary_reach = 0
    for layer in range(case.layers):
        tokens_see, summary_sees = scheme.reach.limits(window, layer, case.layers)

        def through(limit: Limit, is_summary: bool, layer: int = layer, tokens_reach: int = tokens_reach) -> int:
            assert isinstance(limit, int)  # only with `Full` there is none
            resets = case.isolates and scheme.reset is not None and scheme.reset.applies(layer, case.layers, is_summary)
            return max(tokens_reach, limit) if resets else tokens_reach + limit

        summary_reach = max(summary_reach, through(summary_sees, is_summary=True))
        tokens_reach = through(tokens_see, is_summary=False)
    return min(summary_reach, longest)


def is_shared(case: Case, window: int, longest: int) -> bool:
    """Return whether every target of a prompt has the same answer as in its sliding window."""
    scheme = SCHEMES[case.scheme]
    absolute = (
        case.positions is Position.learned
        or (scheme.count_summaries and case.positions is not Position.none)
        or (scheme.summary is Summary.literal and case.positions is Position.rope)
    )
    return reach(case, window, longest) <= window and not absolute


def rows(case: Case, window: int, errors: dict[str, float], farthest: int, longest: int) -> list[dict]:
    """Return one row of theorems.csv per statement.

    Args:
        errors: {identity: the largest difference of logits}.
        farthest: the largest distance with a gradient that is not zero.
    """
    expected, different = reach(case, window, longest), not is_shared(case, window, longest)
    statements = []
    for identity, error in errors.items():
        if identity == results.ALL and different:
            statements.append((identity, results.DIFFERENT, error, results.DIFFERENCE, error > results.DIFFERENCE))
        else:
            statements.append((identity, results.EQUAL, error, results.TOLERANCE, error <= results.TOLERANCE))
    statements.append((results.REACHES, results.EQUAL, farthest, expected, farthest == expected))
    columns = results.IDENTITY, results.RELATION, results.MEASURED, results.BOUND, results.HOLDS
    return [case.row | dict(zip(columns, (*each, int(holds)), strict=True)) for *each, holds in statements]
