"""Random arrays, several of which are drawn as one flat array and then cut and reshaped.

The Threefry generator computes each number from its position. XLA's CPU code computes positions about three times more
slowly in three dimensions than in one, and drawing is half of a one-layer training step, so every draw is flat. A draw
is also a large part of what has to be compiled, so arrays of one distribution share one draw.
"""

import itertools
import math
from collections.abc import Callable

import jax

from tasks.threefry import one_pass

Size = tuple[int, ...]


def uniform(key: jax.Array, *shapes: Size) -> list[jax.Array]:
    """Return one array per shape, with independent U(-1, 1) entries."""
    return _cut(lambda size: jax.random.uniform(one_pass(key), (size,), minval=-1.0, maxval=1.0), shapes)


def normal(key: jax.Array, *shapes: Size) -> list[jax.Array]:
    """Return one array per shape, with independent N(0, 1) entries."""
    return _cut(lambda size: jax.random.normal(one_pass(key), (size,)), shapes)


def _cut(draw: Callable[[int], jax.Array], shapes: tuple[Size, ...]) -> list[jax.Array]:
    ends = list(itertools.accumulate(math.prod(shape) for shape in shapes))
    flat = draw(ends[-1])
    starts = [0, *ends[:-1]]
    return [flat[a:b].reshape(shape) for a, b, shape in zip(starts, ends, shapes, strict=True)]
