"""Hidden-state reset [DTI]: what a far interaction is seen as is drawn back to what it was before it had seen others.

The source draws a state back by its distance to the target, but a prompt of k targets has k distances. Here it is done
to the edge from a query t to a key s: keys and values of s are mixed,

    K(d) = a(d) K(state before) + (1 - a(d)) K(state),   V alike,
    a(d) = ymin + (ymax - ymin) sigmoid(d - n / 2),  a(0) = 0,

with d the distance in interactions and n the window. With ymin = ymax = 1 nothing but the state before is seen.
"""

import dataclasses
import enum

import jax
import jax.numpy as jnp
import numpy as np


class Towards(enum.Enum):
    """The state before it had seen others."""

    embedding = "embedding"  # the token before the first layer [DTI]
    own = "own"  # the token after as many layers in which it sees its own interaction alone


@dataclasses.dataclass(frozen=True)
class Reset:
    """towards: which state. last_only: in the last layer and for [SUM]s alone. at_test: also when it is tested."""

    towards: Towards = Towards.embedding
    last_only: bool = False
    at_test: bool = True

    def applies(self, layer: int, num_layers: int, is_summary: bool) -> bool:
        """In the first layer the two states are the same."""
        if self.last_only:
            return layer > 0 and is_summary and layer == num_layers - 1
        return layer > 0


def weight(distance: np.ndarray, window: int, bounds: jax.Array) -> jax.Array:
    """a(d) of integer distances; bounds: (ymin, ymax)."""
    low, high = bounds
    share = low + (high - low) * jax.nn.sigmoid(distance.astype(float) - window / 2)
    return jnp.where(distance == 0, 0.0, share)
