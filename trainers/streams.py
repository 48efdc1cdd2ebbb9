"""The streams of random numbers of a run. Every key that a run uses comes from its seed through one of them.

A stream's number is folded into the key of the seed, so no two uses of random numbers share a key: the episodes of a
test never occur in a training step.
"""

import enum

import jax


class Stream(enum.IntEnum):
    """The uses of random numbers. A new stream gets a new number; numbers in use never change."""

    parameters = 0
    training = 1
    line_search = 2
    initial_model = 3
    gd_plus_plus = 4
    validation = 5  # episodes that curves and the results of a training are measured on, from `eval.seed`
    pool = 6  # the functions or users that episodes are drawn from, where there are few
    test = 7  # episodes that trained models are measured on by a study
    choice = 8  # episodes on which a study chooses what it then tests: a rate, a number of iterations
    log = 10  # a log of items
    candidates = 11  # the items among which the next one is ranked
    problems = 12  # queries, keys and values, or prompts, that are drawn without a task
    frequencies = 13  # of random features
    users = 14  # the users of a log that a test takes
    directions = 15  # random directions and orders, with which a measure of similarity is compared
    proposals = 17  # sets of demonstrations that a search proposes, and the candidates of its validation


def key_of(seed: int | jax.Array, stream: Stream) -> jax.Array:
    """Return the key of one stream of a seed, which may be traced."""
    return jax.random.fold_in(jax.random.key(seed), stream)
