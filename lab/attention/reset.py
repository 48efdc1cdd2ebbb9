"""Hidden-state reset [DTI]: a far interaction is seen in a state closer to the one before it had seen others.

The source moves a state back by its distance to the target, but in a prompt of k targets there are k distances. Here
each pair of a query t and a key s has its own mixture of the keys and values of s,

    K(d) = a(d) K(state before) + (1 - a(d)) K(state),   V alike,
    a(d) = ymin + (ymax - ymin) sigmoid(d - n / 2),  a(0) = 0,

with d the distance in interactions and n the window. With ymin = ymax = 1 only the state before is seen.
"""

import dataclasses
import enum

import jax
import jax.numpy as jnp
import numpy as np


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


def weight(distance: np.ndarray, window: int, bounds: jax.Array) -> jax.Array:
    """Return a(d) of integer distances, in an array of their shape. window: n. bounds: (ymin, ymax)."""
    low, high = bounds
    share = low + (high - low) * jax.nn.sigmoid(distance.astype(float) - window / 2)
    return jnp.where(distance == 0, 0.0, share)
