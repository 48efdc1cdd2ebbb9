"""What turns gradients into updates."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lab.config.choices import Optimizer
from trainers.meta import OPTIMIZERS

RATE = 0.1


def first_update(method, gradient):
    parameters = jax.tree.map(jnp.zeros_like, gradient)
    optimizer = OPTIMIZERS[method](lambda count: RATE)
    return optimizer.update(gradient, optimizer.init(parameters), parameters)[0]


def test_every_choice_has_a_row():
    assert set(OPTIMIZERS) == set(Optimizer)


@pytest.mark.parametrize("method", list(Optimizer))
def test_it_descends(method):
    """||W - T||^2 for a matrix and a vector; the learning rate decays to 0, so that the steps get small."""
    target = {"matrix": jax.random.normal(jax.random.key(0), (1, 4, 3)), "vector": jnp.arange(3.0)}
    optimizer = OPTIMIZERS[method](lambda count: 0.2 * (1 - count / 200))

    def loss(parameters):
        return sum(jnp.sum((parameters[name] - target[name]) ** 2) for name in target)

    @jax.jit
    def step(carry, _):
        parameters, state = carry
        change, state = optimizer.update(jax.grad(loss)(parameters), state, parameters)
        return (optax.apply_updates(parameters, change), state), None

    start = jax.tree.map(jnp.zeros_like, target)
    (end, _), _ = jax.lax.scan(step, (start, optimizer.init(start)), length=200)
    assert loss(end) < 1e-3 * loss(start)


def test_muon_moves_every_direction_of_a_matrix_alike():
    """Singular values of the update are .6 to 1.3 times the rate (five Newton-Schulz steps give that), whatever those
    of the gradient, for each head; Adam's update of the same gradient is large along one direction."""
    u, v = (np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))[0] for seed in (0, 1))
    spectra = np.array([[1000.0, 10.0, 1.0, 0.5], [1.0, 1.0, 0.1, 0.05]])
    gradient = jnp.asarray(np.einsum("ij,hj,kj->hik", u, spectra, v), jnp.float32)
    moved = np.linalg.svd(np.asarray(first_update(Optimizer.muon, {"w": gradient})["w"]), compute_uv=False)
    assert np.all(moved[1] > 0.6 * RATE)
    assert np.all(moved < 1.3 * RATE)
    by_adam = np.linalg.svd(np.asarray(first_update(Optimizer.adam, {"w": gradient})["w"]), compute_uv=False)
    assert by_adam[0].max() > 2 * RATE


def test_muon_moves_what_is_no_matrix_as_nesterovs_adam():
    gradient = {"eta": jnp.array([3.0, -2.0])}
    np.testing.assert_allclose(np.sign(first_update(Optimizer.muon, gradient)["eta"]), [-1, 1])
