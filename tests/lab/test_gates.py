"""Gates: what is trained of each, and its values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from lab.learners.gates import FixedGate, Gate, Gates, PlaceGate, PositiveGate, ShareGate, TokenGate, of_heads

TOKENS = jax.random.normal(jax.random.key(0), (3, 2))


def trained(gates):
    return len(jax.tree.leaves(nnx.state(gates, nnx.Param)))


def test_only_gates_that_are_given_are_trained():
    """A delta rule whose decay were trained would be a gated one."""
    assert trained(Gates(Gate(jnp.ones(1)))) == 1
    assert trained(Gates(FixedGate(jnp.ones(1)), Gate(jnp.ones(1)))) == 1
    rates, decays, momenta = Gates(Gate(jnp.full(2, 0.3)))(TOKENS)
    np.testing.assert_array_equal(rates, np.full((2, 3), 0.3, np.float32))
    np.testing.assert_array_equal([decays, momenta], [np.ones((2, 3)), np.zeros((2, 3))])


def test_values():
    log_HxT = jnp.log(jnp.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_allclose(PositiveGate(jnp.log(jnp.array([0.2])))(TOKENS), [[0.2] * 3], rtol=1e-6)
    np.testing.assert_allclose(ShareGate(jnp.array([jnp.log(4.0)]))(TOKENS), [[0.8] * 3], rtol=1e-6)
    np.testing.assert_allclose(PlaceGate(log_HxT)(TOKENS), [[1, 2, 3]], rtol=1e-6)
    w_1xD = jnp.array([[0.5, -1.0]])
    expected = 3 / (1 + np.exp(-(0.2 + TOKENS @ np.array([0.5, -1.0]))))
    np.testing.assert_allclose(TokenGate(jnp.array([0.2]), w_1xD, 3.0)(TOKENS)[0], expected, rtol=1e-5)
    repeated = of_heads(Gates(PlaceGate(log_HxT)), 2)(TOKENS)
    assert [each.shape for each in repeated] == [(2, 3)] * 3


def test_gates_of_places_refuse_other_lengths():
    with pytest.raises(ValueError, match="3 tokens: there are gates of 4 places"):
        PlaceGate(jnp.zeros((1, 4)))(TOKENS)
