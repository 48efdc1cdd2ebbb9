"""What the device can do at most, measured: operations, memory, and drawing random numbers."""

import functools
import math
import statistics
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.extend.core import jaxprs_in_params

from tasks.draw import uniform
from tasks.task import Task
from trainers.timing.clock import compiled, how_many, seconds_of

WIDTHS = (1024, 2048, 4096, 8192)  # of matrices; a width that takes long enough is the last
LONG_ENOUGH = 0.05  # seconds a product
NUMBERS = 2**27  # float32 that are copied: 512 MiB, more than a cache holds


def flops_per_second(seconds: float, rounds: int) -> float:
    """The best that float32 matrix products of some widths reach."""
    best = 0.0
    for width in WIDTHS:
        factor = jax.random.normal(jax.random.key(0), (width, width)) / math.sqrt(width)
        product, _ = compiled(jnp.matmul, factor, factor)
        each = _seconds_a_call(functools.partial(product, factor), factor, seconds, rounds)
        best = max(best, 2 * width**3 / each)
        if each > LONG_ENOUGH:
            break
    return best


def bytes_per_second(seconds: float, rounds: int) -> float:
    """Read and written, of a large array that is negated where it lies: a copy into new memory would mostly measure how
    the system hands out pages."""
    numbers = jnp.ones(NUMBERS, jnp.float32)
    negate, _ = compiled(jnp.negative, numbers, donate_argnums=0)
    return 2 * 4 * NUMBERS / _seconds_a_call(negate, numbers, seconds, rounds)


def _seconds_a_call(function: Callable, value: jax.Array, seconds: float, rounds: int) -> float:
    """Of a function whose result is its next argument: so calls wait for one another on the device, and not here."""

    def calls(count: int = 1) -> jax.Array:
        nonlocal value
        for _ in range(count):
            value = function(value)
        return value

    count = how_many(seconds, calls)
    return statistics.median(seconds_of(lambda: calls(count)) for _ in range(rounds)) / count


def numbers_drawn(task: Task, batch: int) -> int:
    """Random words that a batch of episodes is made of."""
    return random_words(lambda key: task.sample(key, batch), jax.random.key(0))


def random_words(function: Callable, *arguments) -> int:
    """How many a function draws, as counted in its program; those of a loop once."""

    def count(jaxpr) -> int:
        here = [math.prod(of.outvars[0].aval.shape) for of in jaxpr.eqns if of.primitive.name == "random_bits"]
        inside = [count(inner) for of in jaxpr.eqns for inner in jaxprs_in_params(of.params)]
        return sum(here) + sum(inside)

    return count(jax.make_jaxpr(function)(*arguments).jaxpr)


def bare_random(numbers: int, steps: int) -> Callable[[jax.Array], jax.Array]:
    """key -> the sum of so many uniform numbers, drawn anew in each of so many steps: nothing of it can be left out,
    and a training step cannot draw its episodes faster. (That normal ones take a little more is not counted.)"""

    def total(key: jax.Array) -> jax.Array:
        def step(total, index):
            (drawn,) = uniform(jax.random.fold_in(key, index), (numbers,))
            return total + jnp.sum(drawn), None

        return jax.lax.scan(step, 0.0, jnp.arange(steps))[0]

    return total
