"""Episodes that are measured a block at a time, so that any number of them fits into the memory."""

from collections.abc import Callable

import jax
import numpy as np

from lab.runs import interrupt


def number_of_blocks(episodes: int, chunk: int) -> int:
    """How many blocks of `chunk` episodes hold so many."""
    return -(-episodes // chunk)


def in_blocks(
    measure: Callable[[jax.Array], dict], key: jax.Array, episodes: int, chunk: int, advance: Callable[[], None]
) -> dict:
    """What `measure` finds in so many episodes. They depend on `chunk`, as every block draws its own from a key.

    Args:
        measure: of a key, a tree of arrays with the `chunk` episodes of a block in front.
        advance: called after each block.

    Returns:
        The same tree with all `episodes` in front, on the host.
    """
    blocks = []
    for block in range(number_of_blocks(episodes, chunk)):
        interrupt.check()
        blocks.append(jax.device_get(measure(jax.random.fold_in(key, block))))
        advance()
    return jax.tree.map(lambda *parts: np.concatenate(parts)[:episodes], *blocks)
