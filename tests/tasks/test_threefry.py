"""One pass gives the bits of JAX's own generator."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tasks.flat_random import normal, one_pass, uniform

KEY = jax.random.key(3)


@pytest.mark.parametrize("count", [1, 2, 1001])
def test_the_bits_are_those_of_jax(count):
    np.testing.assert_array_equal(jax.random.bits(one_pass(KEY), (count,)), jax.random.bits(KEY, (count,)))


def test_the_bits_of_a_population_are_those_of_its_members():
    keys = jax.random.split(KEY, 3)
    result = jax.vmap(lambda key: jax.random.bits(one_pass(key), (7,)))(keys)
    np.testing.assert_array_equal(result, [jax.random.bits(key, (7,)) for key in keys])


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
def test_numbers_are_those_of_jax(impl):
    """Also of another generator, which is used as it is."""
    key = jax.random.key(3, impl=impl)
    np.testing.assert_array_equal(uniform(key, (9,))[0], jax.random.uniform(key, (9,), minval=-1.0, maxval=1.0))
    np.testing.assert_array_equal(normal(key, (9,))[0], jax.random.normal(key, (9,)))


def test_doubles_are_those_of_jax(float64):
    (result,) = normal(KEY, (9,))
    assert result.dtype == jnp.float64
    np.testing.assert_array_equal(result, jax.random.normal(KEY, (9,)))


def test_the_hash_is_no_part_of_what_uses_it(optimized):
    """In the compiled program it is a function that is called once, however often its numbers are used."""

    def twice(key):
        (x,) = uniform(key, (4, 4))
        return x @ x, jnp.sum(x)

    text = jax.jit(twice).lower(KEY).compile().as_text()
    assert sum(" call(" in line for line in text.splitlines()) == 1
