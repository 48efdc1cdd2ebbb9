"""Random arrays, several of which are drawn as one flat array and then cut and reshaped.

The Threefry generator computes each number from its position. XLA's CPU code computes positions about three times more
slowly in three dimensions than in one, and drawing is half of a one-layer training step, so every draw is flat. A draw
is also a large part of what has to be compiled, so arrays of one distribution share one draw.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any, cast

import jax
import jax.numpy as jnp
from jax.extend import random

from tasks.unfused import apart

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))  # in bits; groups of four rounds use the two rows in turn
PARITY = 0x1BD11BDA  # the third word of the key is the exclusive or of this constant and the first two
ROUNDS_OF_FOUR = 5


def one_pass(key: jax.Array) -> jax.Array:
    """Return the key of the one-pass generator with the same numbers; on accelerators, or if the key is of another
    generator, the key itself.

    The random bits of JAX's Threefry generator, computed on a CPU in one pass over them instead of five.

    Threefry-2x32 ([Salmon et al. 2011], Parallel random numbers: as easy as 1, 2, 3) turns a key of two words and a
    counter of two words into two words, by twenty rounds of addition, rotation and exclusive or. Number i of a draw is
    the exclusive or of both words for the counter i. JAX's program for CPUs goes over all numbers once per four rounds.
    Here all rounds are one expression; it is decorated with `apart`, or else XLA would compute it once per use of a
    number. The bits are the same.
    """
    config = cast(Any, jax.config)  # JAX adds the attributes of its configuration at run time
    threefry = jax.random.key_impl(key) == random.threefry_prng_impl.name and config.jax_threefry_partitionable
    if not threefry or jax.default_backend() != "cpu":
        return key
    return jax.random.wrap_key_data(jax.random.key_data(key), impl=ONE_PASS)


def _random_bits(key: jax.Array, bit_width: int, shape: tuple[int, ...]) -> jax.Array:
    """Return random bits in one pass for one dimension of 32-bit words, else those of JAX's own program."""
    if bit_width != 32 or len(shape) != 1:
        return random.threefry_prng_impl.random_bits(key, bit_width, shape)
    return _bits(key, jax.lax.iota(jnp.uint32, shape[0]))


@apart
def _bits(key: jax.Array, counter: jax.Array) -> jax.Array:
    """Return the 32-bit words (n,) of a key (2,) and counters (n,) below 2^32."""
    keys = key[0], key[1], key[0] ^ key[1] ^ jnp.uint32(PARITY)
    one, two = jnp.full_like(counter, keys[0]), counter + keys[1]
    for four in range(ROUNDS_OF_FOUR):
        for places in ROTATIONS[four % 2]:
            one = one + two
            two = one ^ (two << jnp.uint32(places) | two >> jnp.uint32(32 - places))
        one = one + keys[(four + 1) % 3]
        two = two + keys[(four + 2) % 3] + jnp.uint32(four + 1)
    return one ^ two


ONE_PASS = random.define_prng_impl(
    key_shape=random.threefry_prng_impl.key_shape,
    seed=random.threefry_prng_impl.seed,
    split=random.threefry_prng_impl.split,
    random_bits=_random_bits,
    fold_in=random.threefry_prng_impl.fold_in,
    name="threefry2x32_one_pass",
    tag="fry1",
)


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
