"""The ways in which a decoder of click streams attends within a prompt of several targets, with one row per way.

The source's DTI- is `naive`, its DTI is `dti`. With `local` and `split`, and with `own` where a = 1, a target is
answered from its window alone, whatever else is in the prompt.
"""

import dataclasses
import enum

from lab.attention.receptive_field import Full, Local, Split, Window
from lab.attention.reset import Reset, Towards
from lab.config.choices import StreamScheme


class Summary(enum.Enum):
    """The way in which a [SUM] attends to tokens."""

    same = "same"  # as tokens do, from the position of the label that comes after it
    alibi = "alibi"  # without a position: queries and keys are not rotated, and scores fall with the distance
    literal = "literal"  # its query is not rotated, but keys are, and scores fall with the distance
    none = "none"  # there is none: a target is answered at its last feature, where its label is the next token


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

    @property
    def at_test(self) -> "Scheme":
        """Return the scheme without what is done only in training."""
        if self.reset is None or self.reset.at_test:
            return self
        return dataclasses.replace(self, reset=None)


SCHEMES: dict[StreamScheme, Scheme] = {
    StreamScheme.naive: Scheme(count_summaries=True),
    StreamScheme.no_id: Scheme(),
    StreamScheme.alibi: Scheme(summary=Summary.alibi),
    StreamScheme.literal: Scheme(summary=Summary.literal),
    StreamScheme.reset: Scheme(count_summaries=True, reset=Reset()),
    StreamScheme.dti: Scheme(summary=Summary.alibi, reset=Reset()),
    StreamScheme.reset_last: Scheme(summary=Summary.alibi, reset=Reset(last_only=True)),
    StreamScheme.reset_train: Scheme(summary=Summary.alibi, reset=Reset(at_test=False)),
    StreamScheme.own: Scheme(reset=Reset(Towards.own)),
    StreamScheme.local: Scheme(reach=Local()),
    StreamScheme.split: Scheme(reach=Split()),
    StreamScheme.full: Scheme(reach=Full(), count_summaries=True),
    StreamScheme.next_token: Scheme(reach=Full(), summary=Summary.none),
}
