"""Attention over a feature map of the kernel."""

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

from lab.attention.kernel import KernelAttention
from lab.attention.softmax import Softmax
from lab.features import FEATURE_MAPS, draw

TOKENS, SEEN, WIDTH, OUT = 5, 7, 3, 2


@struct.dataclass
class Exact:
    """Finite features that are exact on the points u_1, .., u_M: phi(x) = K^(-1/2) kappa(u, x), K_ij = kappa(u_i, u_j),
    of which phi(u_i) . phi(u_j) = (K K^-1 K)_ij."""

    frequencies_MxA: jax.Array

    def __call__(self, x, shift=0.0):
        points = self.frequencies_MxA
        values, vectors = jnp.linalg.eigh(jnp.exp(points @ points.T))
        return jnp.exp(-shift) * jnp.exp(x @ points.T) @ vectors @ jnp.diag(values**-0.5)

    def largest_exponent(self, x):
        return jnp.zeros(x.shape[:-1])


@pytest.fixture
def inputs(float64):
    rng = np.random.default_rng(1)
    shapes = ((TOKENS, WIDTH), (SEEN, WIDTH), (SEEN, OUT), (TOKENS, SEEN))
    q, k, v, bias = (jnp.asarray(rng.normal(size=shape)) for shape in shapes)
    return {"q": q, "k": k, "v": v, "mask": jnp.tril(jnp.ones((TOKENS, SEEN), bool), 1), "bias": bias}


def attend(attention, inputs, optional=()):
    q, k, v = (inputs[name] for name in "qkv")
    return attention(q, k, v, **{f"{name}_TxS": inputs[name] for name in optional})


def features_of(name, count=32, width=WIDTH):
    return draw(name, "iid", jax.random.key(7), count, width)


OPTIONAL = [(), ("mask",), ("bias",), ("mask", "bias")]


@pytest.mark.parametrize("optional", OPTIONAL, ids=str)
def test_exact_features_give_softmax_attention(inputs, optional):
    """K's smallest eigenvalue is 1e-6 of its largest: K^(-1/2) takes the rounding of 1e-16 to 1e-11 or so."""
    attention = KernelAttention(Exact(jnp.concatenate([inputs["q"], inputs["k"]])))
    np.testing.assert_allclose(attend(attention, inputs, optional), attend(Softmax(), inputs, optional), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_masks_biases_and_chunks(name, inputs):
    """One token at a time, with what it sees alone; a bias multiplies the estimated kernel."""
    features, run = features_of(name), jax.jit(attend, static_argnums=2)
    kernel_TxS = np.asarray(features(inputs["q"]) @ features(inputs["k"]).T)
    for optional in OPTIONAL:
        weights_TxS = kernel_TxS * (np.exp(inputs["bias"]) if "bias" in optional else 1.0)
        weights_TxS = np.where(inputs["mask"], weights_TxS, 0.0) if "mask" in optional else weights_TxS
        expected = weights_TxS @ inputs["v"] / weights_TxS.sum(axis=1, keepdims=True)
        for chunk in (5, 8, 512):  # with a rest, without, and all at once
            np.testing.assert_allclose(run(KernelAttention(features, chunk), inputs, optional), expected, rtol=1e-9)


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_long_vectors_leave_the_range_of_single_precision_only_up_to_a_factor(name):
    """Lengths are 20: features are about e^200 (trigonometric) or e^-140, and e^89 is too large, e^-104 too small."""
    q, k = (5 * jax.random.normal(jax.random.key(i), (4, 16)) for i in (0, 1))
    out = KernelAttention(features_of(name, 64, 16), chunk=16)(q, k, jnp.eye(4))
    assert jnp.all(jnp.isfinite(out))
    np.testing.assert_allclose(jnp.sum(out, axis=1), 1.0, rtol=1e-3)


def test_no_array_has_more_frequencies_than_a_chunk():
    chunk, count = 16, 1024

    def arrays(jaxpr):
        for equation in jaxpr.eqns:
            yield from (variable.aval for variable in equation.outvars)
            for inner in jax.extend.core.jaxprs_in_params(equation.params):
                yield from arrays(inner)

    features = features_of("hyperbolic", count)
    q, k, v = (jnp.ones((SEEN, width)) for width in (WIDTH, WIDTH, OUT))
    shapes = [array.shape for array in arrays(jax.make_jaxpr(KernelAttention(features, chunk))(q, k, v).jaxpr)]
    assert len(shapes) > 20
    frequencies = [(count // 2 // chunk, chunk, WIDTH), (count // 2, WIDTH)]
    assert max(np.prod(shape, dtype=int) for shape in shapes if shape not in frequencies) <= SEEN * 2 * chunk
