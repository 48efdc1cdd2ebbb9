"""The ways in which a decoder of click streams attends within a prompt of several targets, with one row per way.

The source's DTI- is `naive`, its DTI is `dti`. With `local` and `split`, and with `own` where a = 1, a target is
answered from its window alone, whatever else is in the prompt.
"""

import dataclasses
import enum

from lab.attention.reset import Reset, Towards
from lab.config.choices import StreamScheme

Limit = int | None  # None: all that comes before


@dataclasses.dataclass(frozen=True)
class Window:
    """All tokens and [SUM]s see n interactions back in every layer [DTI], which adds up to L n after L layers.

    With limits w_1 .. w_L a [SUM] depends on interactions up to w_1 + .. + w_L before it, through tokens that see
    others.
    """

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        """Return the limit of tokens, and that of [SUM]s. window: n. layer: counted from 0."""
        return window, window


@dataclasses.dataclass(frozen=True)
class Full(Window):
    """No window: all that comes before is seen."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        return None, None


@dataclasses.dataclass(frozen=True)
class Local(Window):
    """Tokens see their own interaction alone, and [SUM]s n interactions back, after any number of layers."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        return 0, window


@dataclasses.dataclass(frozen=True)
class Split(Window):
    """Limits that add up to n over the layers, with 0 in the first; with one layer it is a window."""

    def limits(self, window: int, layer: int, num_layers: int) -> tuple[Limit, Limit]:
        if num_layers == 1:
            return window, window
        share = 0 if layer == 0 else (window * layer) // (num_layers - 1) - (window * (layer - 1)) // (num_layers - 1)
        return share, share


class Summary(enum.Enum):
    """The way in which a [SUM] attends to tokens."""

    same = "same"  # as tokens do, from the position of the label that comes after it
    alibi = "alibi"  # without a position: queries and keys are not rotated, and scores fall with the distance
    literal = "literal"  # its query is not rotated, but keys are, and scores fall with the distance


WINDOW = Window()


@dataclasses.dataclass(frozen=True)
class Scheme:
    """One way of attending: how far back, how from a [SUM], and with which reset of far states.

    count_summaries: whether a [SUM] takes a position of its own, and so moves the positions of the tokens after it.
    """

    reach: Window = WINDOW
    count_summaries: bool = False
    summary: Summary = Summary.same
    reset: Reset | None = None


SCHEMES: dict[StreamScheme, Scheme] = {
    StreamScheme.naive: Scheme(count_summaries=True),
    StreamScheme.no_id: Scheme(),
    StreamScheme.alibi: Scheme(summary=Summary.alibi),
    StreamScheme.literal: Scheme(summary=Summary.literal),
    StreamScheme.reset: Scheme(count_summaries=True, reset=Reset()),
    StreamScheme.dti: Scheme(summary=Summary.alibi, reset=Reset()),
    StreamScheme.reset_last: Scheme(summary=Summary.alibi, reset=Reset(last_only=True)),
    StreamScheme.own: Scheme(reset=Reset(Towards.own)),
    StreamScheme.local: Scheme(reach=Local()),
    StreamScheme.split: Scheme(reach=Split()),
    StreamScheme.full: Scheme(reach=Full(), count_summaries=True),
}
