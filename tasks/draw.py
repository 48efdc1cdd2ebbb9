"""Random arrays, drawn flat and several at a time.

Threefry numbers its outputs by their position. XLA's CPU code computes that position quickly in one dimension and about
three times more slowly in three, and drawing is half of a one-layer training step, so every draw is flat and reshaped.
Each draw is also a large part of what there is to compile, so arrays of one distribution share one.
"""

import itertools
import math
from collections.abc import Callable

import jax

from tasks.threefry import one_pass

Size = tuple[int, ...]


def uniform(key: jax.Array, *shapes: Size) -> list[jax.Array]:
    """Arrays of the given shapes, their entries independent U(-1, 1)."""
    return _cut(lambda size: jax.random.uniform(one_pass(key), (size,), minval=-1.0, maxval=1.0), shapes)


def normal(key: jax.Array, *shapes: Size) -> list[jax.Array]:
    """Arrays of the given shapes, their entries independent N(0, 1)."""
    return _cut(lambda size: jax.random.normal(one_pass(key), (size,)), shapes)


def _cut(draw: Callable[[int], jax.Array], shapes: tuple[Size, ...]) -> list[jax.Array]:
    ends = list(itertools.accumulate(math.prod(shape) for shape in shapes))
    flat = draw(ends[-1])
    starts = [0, *ends[:-1]]
    return [flat[a:b].reshape(shape) for a, b, shape in zip(starts, ends, shapes, strict=True)]
