"""The layer norm and its gradient, against NumPy and against automatic differentiation of Flax's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.learners.layer_norm import LayerNorm, layer_norm
from tests.compiled import called

WIDTH = 6


@pytest.fixture
def arrays(float64):
    x, weights = (jax.random.normal(key, (3, 4, WIDTH)) for key in jax.random.split(jax.random.key(0)))
    scale, bias = jax.random.normal(jax.random.key(1), (2, WIDTH))
    return 2 + 3 * x, scale, bias, weights


def of_flax(x, scale, bias, epsilon):
    norm = nnx.LayerNorm(WIDTH, epsilon=epsilon, use_fast_variance=False, param_dtype=x.dtype, rngs=nnx.Rngs(0))
    assert norm.scale is not None
    assert norm.bias is not None
    norm.scale[...], norm.bias[...] = scale, bias
    return norm(x)


@pytest.mark.parametrize("epsilon", [1e-6, 0.5])
def test_it_is_the_formula(epsilon, arrays):
    x, scale, bias, _ = map(np.asarray, arrays)
    centred = x - x.mean(axis=-1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon) * scale + bias
    np.testing.assert_allclose(called(layer_norm, x, scale, bias, epsilon), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("epsilon", [1e-6, 0.5])
def test_its_gradient_is_that_of_automatic_differentiation(epsilon, arrays):
    """Also for one vector at a time, as a mapped decoder calls it, and of second order."""
    x, scale, bias, weights = arrays

    def gradient(norm):
        return jax.grad(lambda *given: jnp.sum(weights * norm(*given, epsilon) ** 2), argnums=(0, 1, 2))

    def one_by_one(x, scale, bias, epsilon):
        return jax.vmap(jax.vmap(lambda x: layer_norm(x, scale, bias, epsilon)))(x)

    expected = jax.jit(gradient(of_flax))(x, scale, bias)
    for norm in (layer_norm, one_by_one):
        for actual, other in zip(jax.jit(gradient(norm))(x, scale, bias), expected, strict=True):
            np.testing.assert_allclose(actual, other, rtol=1e-11, atol=1e-12)

    def twice(norm):
        return jax.jit(jax.grad(lambda x: jnp.sum(gradient(norm)(x, scale, bias)[0] ** 2)))(x)

    np.testing.assert_allclose(twice(layer_norm), twice(of_flax), rtol=1e-10, atol=1e-10)


def test_the_module_has_the_parameters_of_flax_and_no_mask():
    norm, other = (kind(WIDTH, rngs=nnx.Rngs(0)) for kind in (LayerNorm, nnx.LayerNorm))
    assert jax.tree.map(jnp.shape, nnx.state(norm)) == jax.tree.map(jnp.shape, nnx.state(other))
    x = jax.random.normal(jax.random.key(2), (5, WIDTH))
    np.testing.assert_allclose(norm(x), other(x), atol=1e-6)
    with pytest.raises(ValueError, match="no mask"):
        norm(x, mask=jnp.ones_like(x, bool))
