"""Calls as one program each: operation by operation they take ten times as long, as every operation is compiled."""

import jax


def sampled(task, key, batch: int):
    """`task.sample(key, batch)`."""
    return jax.jit(lambda key: task.sample(key, batch))(key)


def called(function, *arguments):
    """`function(*arguments)`, of arrays or of trees that hold them."""
    return jax.jit(lambda *given: function(*given))(*arguments)
