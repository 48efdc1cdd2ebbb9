"""The division of work on a CPU: work that takes more memory than the processor's cache is done in parts.

A batch of long episodes is drawn and differentiated in several parts, one after the other, and the parts' losses and
gradients are averaged: so a step costs as much per example with long contexts as with short ones, and its memory does
not grow with the batch. Members of a population, which share nothing, train a few at a time. An accelerator does
everything at once.

Measured on two EPYC cores, one layer, batch 512, in nanoseconds per example of the context, by the bytes of a part:
contexts of 1,000 examples 30 at 1.3 and 2.7 MB, 34 at 5.4 MB, 62 at 21 MB; of 10,000 examples 26 at 1.7 MB, 34 at
3.4 MB, 88 at 215 MB. Parts below 1 MB are too small for the cores (37 to 48). Sixteen members of one layer, in
processor milliseconds per step and member, by the members side by side: batches of 64 .073 (1) and .046 (16); of 256
.180 (1), .138 (8, 1 MB), .144 (16); of 512 .313 (1), .265 (4, 1 MB), .280 (8); of 2048 1.106 (1), 1.146 (2), and with
five layers 8.7 (1), 9.8 (2).
"""

import math
from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp

from tasks.task import Task

PART = 3 * 2**20  # bytes of the episodes in a part
TOGETHER = PART // 2  # of the episodes of members that train side by side
START = 2**16  # that take as long as what a step costs beside its episodes
T = TypeVar("T")


def parts_of(task: Task, batch: int) -> int:
    """Return the number of equal parts of a batch of episodes: parts come as near as possible to PART bytes.

    The number depends on sizes alone.
    """
    size = task.bytes_of(batch)
    if size <= PART:
        return 1
    small = [count for count in range(1, math.isqrt(batch) + 1) if batch % count == 0]
    return min(
        [*small, *(batch // count for count in reversed(small))], key=lambda count: abs(math.log(size / count / PART))
    )


def turns_of(task: Task, batch: int) -> int:
    """Return the number of parts that are computed one after the other: 1 on an accelerator."""
    return parts_of(task, batch) if jax.default_backend() == "cpu" else 1


def together(task: Task, batch: int, members: int, one_by_one: bool = False) -> int:
    """Return how many members of a population train side by side: on an accelerator all, on a CPU as many as take the
    least time by their bytes, at most TOGETHER of them. (An incomplete chunk of members costs as much as a whole one.)
    """
    if jax.default_backend() != "cpu":
        return members
    size = task.bytes_of(batch)
    most = 1 if one_by_one else max(1, min(members, TOGETHER // size))
    return min(range(1, most + 1), key=lambda chunk: -(-members // chunk) * (START + chunk * size))


def averaged(function: Callable[[jax.Array, int], T], task: Task, key: jax.Array, batch: int) -> T:
    """Return the mean of function(key, size) over the parts of a batch.

    The parts, and so the episodes, are the same on every device; an accelerator computes them side by side.

    Args:
        function: returns a pytree of means over `size` episodes, which it draws with the key.
        batch: the episodes of all parts together.
    """
    count = parts_of(task, batch)
    if count == 1:
        return function(key, batch)
    keys = jax.vmap(lambda part: jax.random.fold_in(key, part))(jnp.arange(count))
    each = jax.lax.map if turns_of(task, batch) > 1 else lambda function, keys: jax.vmap(function)(keys)
    return jax.tree.map(lambda leaf: jnp.mean(leaf, axis=0), each(lambda key: function(key, batch // count), keys))
