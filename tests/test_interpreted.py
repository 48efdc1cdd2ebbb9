"""What NumPy does in place of a compiled program is the same to the last bit, and of the same type."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import pjit

from tests import interpreted
from tests.compiled import own_programs

pytestmark = pytest.mark.skipif(pjit._pjit_call_impl_python is not interpreted.run, reason="JAX is another version")
X = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
ODD = np.array([[0.0, -0.0, np.inf, -np.inf], [np.nan, 1e30, -1e-30, 1], [2, 3, 4, 5]], np.float32)
WHOLE = np.arange(12, dtype=np.int32).reshape(3, 4) - 5
CALLS = {
    "add": lambda x: x + 1.7,
    "sub": lambda x: x - X,
    "mul": lambda x: x * X,
    "square": lambda x: x**2,
    "neg": lambda x: -x,
    "abs": jnp.abs,
    "compared": lambda x: (x < X, x <= 0, x > X, x >= 0, x == X, x != X),
    "logic": lambda x: (~(x < 0) & (X > 0)) | (x > X),
    "largest": lambda x: (jnp.maximum(x, X), jnp.minimum(x, 0.3)),
    "reduced": lambda x: (x.max(), x.min(1), (x > 0).any(0), (x > 0).all(), WHOLE + jnp.int32(1).sum()),
    "where": lambda x: jnp.where(x > 0, x, 0),
    "finite": jnp.isfinite,
    "moved": lambda x: (x.T, x.reshape(2, 6), x[None], x[:, 1:3], x[::-1, ::2], x[1], x[-1, 2], jnp.flip(x, 1)),
    "dynamic": lambda x: (jax.lax.dynamic_slice(x, (2, 1), (2, 2)), jax.lax.dynamic_update_slice(x, x[:2], (7, -3))),
    "joined": lambda x: (jnp.concatenate([x, X], 1), jnp.stack([x, x], 1), *jnp.unstack(x), jnp.split(x, [1, 3], 1)),
    "broadcast": lambda x: (
        jnp.broadcast_to(x[1], (2, 4)),
        jnp.zeros((2, 3)),
        jnp.arange(4) + 1,
        jnp.ones_like(x),
        jnp.tile(x, (2, 1)),
    ),
    "padded": lambda x: jnp.pad(x, ((1, 0), (2, 3)), constant_values=0.5),
    "converted": lambda x: (WHOLE.astype(jnp.float32) + x, jnp.asarray(WHOLE).astype(float), x.astype(bool)),
    "weak": lambda x: (jnp.asarray(2.5) * 3, jnp.asarray(2) - 1),
}


@pytest.fixture
def counted(monkeypatch):
    """Names of programs that are compiled, and a way to have all compiled."""
    names, real = [], interpreted._run

    def run(*arguments, name, **params):
        names.append(name)
        return real(*arguments, name=name, **params)

    monkeypatch.setattr(interpreted, "_run", run)
    return names


@pytest.mark.parametrize("numbers", [X * 3, ODD], ids=["ordinary", "odd"])
@pytest.mark.parametrize("name", CALLS)
def test_it_is_what_jax_computes(name, numbers, counted, monkeypatch):
    of_jax = f"{name} of {numbers[0, 0]}"
    with own_programs(f"{of_jax}, by NumPy"):
        ours = CALLS[name](jnp.asarray(numbers))
    assert not counted, "something was compiled"
    monkeypatch.setattr(pjit, "_pjit_call_impl_python", interpreted._run)
    with own_programs(of_jax):
        theirs = CALLS[name](jnp.asarray(numbers))
    assert counted, "nothing was compiled"
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert (a.dtype, a.shape, a.weak_type) == (b.dtype, b.shape, b.weak_type)
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize(
    "function",
    [lambda x: x * X + 1, jnp.exp, jnp.sum, lambda x: x @ X.T, lambda x: x.astype(int), lambda x: x / 3],
    ids=range(6),
)
def test_what_numpy_may_round_otherwise_is_compiled(function, counted):
    jax.jit(lambda x: function(x))(jnp.asarray(X))
    assert counted


@pytest.mark.parametrize(("x", "y"), [(1e-30, 1e-10), (1e-40, 1.0)])
def test_subnormal_numbers_are_zero_as_for_xla(x, y, counted):
    product = jax.jit(lambda x, y: x * y)(jnp.float32(x), jnp.float32(y))
    assert product == 0
    assert counted


def test_an_array_that_was_put_somewhere_stays_there(counted):
    there = jax.device_put(X, jax.devices()[0])
    assert jax.jit(jnp.negative)(there).committed
    assert counted
