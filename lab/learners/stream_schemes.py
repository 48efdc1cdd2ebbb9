"""The ways in which a decoder of click streams attends within a prompt of several targets, with one row per way.

The source's DTI- is `naive`, its DTI is `dti`. With `local` and `split`, and with `own` where a = 1, a target is
answered from its window alone, whatever else is in the prompt.

With a hidden-state reset [DTI] a far interaction is seen in a state closer to the one before it had seen others. The
source moves a state back by its distance to the target, but in a prompt of k targets there are k distances. Here each
pair of a query t and a key s has its own mixture of the keys and values of s,

    K(d) = a(d) K(state before) + (1 - a(d)) K(state),   V alike,
    a(d) = ymin + (ymax - ymin) sigmoid(d - n / 2),  a(0) = 0,

with d the distance in interactions and n the window. With ymin = ymax = 1 only the state before is seen.
"""

import dataclasses
import enum

import jax
import jax.numpy as jnp
import numpy as np

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


class Towards(enum.Enum):
    """The state of an interaction before it had seen others, in two meanings."""

    embedding = "embedding"  # the token before the first layer [DTI]
    own = "own"  # the token after the same number of layers in which it sees its own interaction alone


@dataclasses.dataclass(frozen=True)
class Reset:
    """The settings of a reset."""

    towards: Towards = Towards.embedding
    last_only: bool = False  # only in the last layer, and only in what [SUM]s see

    def applies(self, layer: int, num_layers: int, is_summary: bool) -> bool:
        """Return whether a layer resets; the first does not, since there the two states are the same."""
        if self.last_only:
            return layer > 0 and is_summary and layer == num_layers - 1
        return layer > 0


def reset_weight(distance: np.ndarray, window: int, bounds: jax.Array) -> jax.Array:
    """Return a(d) of integer distances, in an array of their shape. window: n. bounds: (ymin, ymax)."""
    low, high = bounds
    share = low + (high - low) * jax.nn.sigmoid(distance.astype(float) - window / 2)
    return jnp.where(distance == 0, 0.0, share)


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
