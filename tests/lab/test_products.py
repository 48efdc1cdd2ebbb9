"""Products of small matrices, many prompts side by side: the same numbers and derivatives as one after the other."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.attention import products
from lab.attention.products import LANES, into_lanes, multiplied_in_lanes, out_of_lanes
from tests.lab.makers import KEY

SIZES = {  # product: (rows, columns) of both factors
    "times": ((3, 4), (4, 5)),
    "times_t": ((3, 4), (5, 4)),
    "t_times": ((4, 3), (4, 5)),
    "right": ((3, 4), (4, 5)),
}


def factors(name, batch):
    keys, (a, b) = jax.random.split(KEY), SIZES[name]
    return (
        jax.random.normal(keys[0], (batch, *a)),
        jax.random.normal(keys[1], b if name == "right" else (batch, *b)),
    )


def one_by_one(name, a, b):
    return jax.vmap(getattr(products, name), in_axes=(0, None if name == "right" else 0))(a, b)


def side_by_side(name, a, b):
    if name == "right":
        result = jax.vmap(products.right, in_axes=(0, None))(into_lanes(a), b)
    else:
        result = jax.vmap(getattr(products, name))(into_lanes(a), into_lanes(b))
    return out_of_lanes(result, len(a))


@pytest.mark.parametrize(
    ("name", "batch"),
    [(name, batch) for name in SIZES for batch in (5, 2 * LANES + 1)] + [("times", 1), ("right", LANES)],
)
def test_products_and_their_derivatives_are_those_of_each_prompt(name, batch, float64):
    a, b = factors(name, batch)
    weights = jnp.arange(1.0, 1.0 + batch * 15).reshape(batch, 3, 5)  # what the product is differentiated by

    def weighted(product, a, b):
        return jnp.sum(weights * product(name, a, b))

    close = functools.partial(np.testing.assert_allclose, rtol=1e-13, atol=1e-12)
    close(jax.jit(functools.partial(side_by_side, name))(a, b), one_by_one(name, a, b))
    derivatives = [
        jax.jit(jax.grad(functools.partial(weighted, of), (0, 1)))(a, b) for of in (side_by_side, one_by_one)
    ]
    jax.tree.map(close, *derivatives)


@pytest.mark.parametrize("batch", [1, LANES - 1, LANES, LANES + 1])
def test_prompts_leave_the_lanes_as_they_came(batch):
    array = jnp.arange(batch * 6.0).reshape(batch, 2, 3)
    lanes = into_lanes(array)
    assert lanes.shape == (1 + (batch > LANES), 2, 3, min(batch, LANES))
    np.testing.assert_array_equal(out_of_lanes(lanes, batch), array)
    assert jnp.sum(lanes) == jnp.sum(array)  # what fills the last block is zero


def test_wide_matrices_are_multiplied_one_after_the_other():
    assert multiplied_in_lanes(10, 11, 1)
    assert not multiplied_in_lanes(10, 33, 1)


def test_nothing_is_fused_into_a_product(optimized):
    """In the compiled program a product of products is two calls: fused, the inner one is computed for every entry."""
    a = into_lanes(factors("times_t", LANES)[0])

    def product(a):
        square = jax.vmap(products.times_t)(a, a)
        return jax.vmap(products.times)(square, a)

    text = jax.jit(product).lower(a).compile().as_text()
    assert sum(" call(" in line for line in text.splitlines()) == 2
