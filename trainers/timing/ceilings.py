"""Measured limits of the device: floating-point operations, memory traffic, and random numbers per second."""

import functools
import math
import statistics
from collections.abc import Callable

import jax
import jax.numpy as jnp

from tasks.flat_random import uniform
from trainers.timing.clock import compiled, how_many, seconds_of
from trainers.traced import equations, results, terms

WIDTHS = (1024, 2048, 4096, 8192)  # of matrices; the first whose product takes long enough is the last to be measured
LONG_ENOUGH = 0.05  # seconds per product
NUMBERS = 2**27  # float32 numbers that are copied: 512 MiB, more than a cache holds


@functools.cache
def highest(seconds: float, rounds: int) -> dict[str, float]:
    """Return the highest rates of the device, `flops_per_second` and `bytes_per_second`, measured once per process.

    Args:
        seconds: about how long one measurement takes.
        rounds: the number of measurements, whose median counts.
    """
    arguments = seconds, rounds
    return {"flops_per_second": _flops_per_second(*arguments), "bytes_per_second": _bytes_per_second(*arguments)}


def _flops_per_second(seconds: float, rounds: int) -> float:
    """Return the highest rate of float32 matrix products over some widths, in operations per second."""
    best = 0.0
    for width in WIDTHS:
        factor = jax.random.normal(jax.random.key(0), (width, width)) / math.sqrt(width)
        product = compiled(jnp.matmul, factor, factor)
        each = _seconds_per_call(functools.partial(product, factor), factor, seconds, rounds)
        best = max(best, 2 * width**3 / each)
        if each > LONG_ENOUGH:
            break
    return best


def _bytes_per_second(seconds: float, rounds: int) -> float:
    """Return the bytes per second that are read and written when a large array is negated in place.

    A copy into new memory would mostly measure how the system provides pages.
    """
    numbers = jnp.ones(NUMBERS, jnp.float32)
    negate = compiled(jnp.negative, numbers, donate_argnums=0)
    return 2 * 4 * NUMBERS / _seconds_per_call(negate, numbers, seconds, rounds)


def _seconds_per_call(function: Callable, value: jax.Array, seconds: float, rounds: int) -> float:
    """Return the seconds per call of a function whose result is its next argument.

    So a call waits for the one before it on the device, and this process need not wait between them.
    """

    def calls(count: int = 1) -> jax.Array:
        nonlocal value
        for _ in range(count):
            value = function(value)
        return value

    count = how_many(seconds, calls)
    return statistics.median(seconds_of(lambda: calls(count)) for _ in range(rounds)) / count


def random_words(function: Callable, *arguments) -> int:
    """Return how many 32-bit random words a function draws, counted in its program; a loop's body counts once."""
    every = equations(jax.make_jaxpr(function)(*arguments).jaxpr)
    return sum(results(each) for each, _ in every if each.primitive.name == "random_bits")


def operations(function: Callable, *arguments) -> int:
    """Return the operations of all products of matrices in a program, two per multiplication and addition.

    They are counted before compilation, so that products which a compiler hands to a library are among them, as often
    as `equations` says. Convolutions are left out.
    """
    every = equations(jax.make_jaxpr(function)(*arguments).jaxpr)
    products = ((each, turns * terms(each)) for each, turns in every)
    return sum(2 * count * results(each) for each, count in products if count)


def counted(program: jax.stages.Compiled, products: float, turns: int = 1) -> dict[str, float]:
    """Return the operations and the traffic of a step by XLA's count, which counts a loop's body once.

    XLA counts neither of what it hands to a library, such as products of large matrices on a GPU: so the operations are
    at least those of the products, and the bytes may be too few. Its count includes operations on whole numbers, by
    which random numbers are made, and traffic between a processor and its cache.

    Args:
        products: operations of the products of matrices in a step (`operations`).
        turns: into how many parts a step is divided, one after the other.
    """
    counts = program.cost_analysis() or {}
    flops, traffic = (turns * counts.get(name, 0.0) for name in ("flops", "bytes accessed"))
    return {"operations": max(flops, products), "traffic": traffic}


def bare_random(numbers: int, steps: int) -> Callable[[jax.Array], jax.Array]:
    """Return a function key -> the sum of uniform numbers that are drawn anew in each step.

    The compiler can leave out no draw, as all enter the sum, and a training step cannot draw its episodes faster. (That
    normal numbers take a little longer is neglected.)

    Args:
        numbers: how many are drawn in each step.
        steps: the number of steps.
    """

    def total(key: jax.Array) -> jax.Array:
        def step(sum_so_far, index):
            (values,) = uniform(jax.random.fold_in(key, index), (numbers,))
            return sum_so_far + jnp.sum(values), None

        return jax.lax.scan(step, jnp.zeros(()), jnp.arange(steps))[0]

    return total
