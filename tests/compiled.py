"""Calls as one program each: operation by operation they take ten times as long, as every operation is compiled."""

import jax

# `with own_programs(NAME)`: JAX shares no traced or compiled program with what is outside, and forgets none.
own_programs = jax.make_user_context()


def sampled(task, key, batch: int):
    """`task.sample(key, batch)`."""
    return jax.jit(lambda key: task.sample(key, batch))(key)


def one_episode(task, key):
    """The only episode of `task.sample(key, 1)`, without the axis of the batch."""
    return jax.jit(lambda key: jax.tree.map(lambda leaf: leaf[0], task.sample(key, 1)))(key)


def called(function, *arguments):
    """`function(*arguments)`, of arrays or of trees that hold them."""
    return jax.jit(lambda *given: function(*given))(*arguments)
