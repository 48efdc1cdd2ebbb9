"""Layers with fast weights against the plain PyTorch forms of flash-linear-attention, which these tests run.

The tests are skipped without these packages. They need no GPU (tried with fla-core 0.6.0 and torch 2.13.0 on a CPU):

    pip install torch fla-core triton einops packaging
"""

import functools
import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab.attention.fast_weights.delta import Additive, Delta
from lab.attention.fast_weights.mesa import Mesa
from lab.attention.fast_weights.rule import Tokens, chunkwise, recurrent

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("fla.ops", reason="flash-linear-attention is not installed", exc_type=ImportError)
HEADS, COUNT, WIDTH, CHUNK = 3, 64, 16, 16
PENALTY = 0.7


def public(layer, name):
    return getattr(importlib.import_module(f"fla.ops.{layer}.naive"), name)


def decayed(q, k, v, beta, log_decay, start):
    """Linear attention with a decay; the public form has no rates, so they are a factor of values."""
    form = public("simple_gla", "naive_recurrent_simple_gla")
    return form(q, k, beta[..., None] * v, log_decay, scale=1.0, initial_state=start)


def delta(q, k, v, beta, log_decay, start):
    """The public form has another order of axes, and divides queries by the root of their width."""
    del log_decay
    form = public("delta_rule", "delta_rule_recurrence")
    outputs, last = form(*(a.transpose(1, 2) for a in (q * WIDTH**0.5, k, v, beta)), initial_state=start)
    return outputs.transpose(1, 2), last


def gated(name):
    def form(q, k, v, beta, log_decay, start):
        form = public("gated_delta_rule", name)
        return form(q, k, v, beta=beta, g=log_decay, scale=1.0, initial_state=start, output_final_state=True)

    return form


def mesa(q, k, v, beta, log_decay, start):
    """The public form begins with sums of 0, so W_0 is 0."""
    del start
    form = public("mesa_net", "naive_mesa_net_exact")
    penalties = torch.full((HEADS, WIDTH), PENALTY)
    outputs, keys, values = form(q, k, v, log_decay, penalties, beta)
    return outputs, torch.linalg.solve(keys + PENALTY * torch.eye(WIDTH), values)


CASES = {
    "decayed": (decayed, Additive()),
    "delta": (delta, Delta()),
    "gated": (gated("naive_recurrent_gated_delta_rule"), Delta()),
    "gated, by chunks": (gated("naive_chunk_gated_delta_rule"), Delta()),
    "mesa": (mesa, Mesa(jnp.array(PENALTY))),
}


def arrays(name):
    """Queries and keys of length 1, values, rates and decays of every head, and W_0."""
    draw = np.random.default_rng(2)
    q, k, v = (draw.normal(size=(HEADS, COUNT, WIDTH)) for _ in range(3))
    q, k = (a / np.linalg.norm(a, axis=-1, keepdims=True) for a in (q, k))
    rates, decays = draw.uniform(0.1, 1, (HEADS, COUNT)), draw.uniform(0.8, 1, (HEADS, COUNT))
    decays = np.ones_like(decays) if name == "delta" else decays
    start = draw.normal(size=(HEADS, WIDTH, WIDTH)) * (name != "mesa")
    return [each.astype(np.float32) for each in (q, k, v, rates, decays, start)]


@pytest.mark.parametrize("name", CASES)
def test_outputs_and_the_last_state_are_the_public_ones(name):
    """To 1e-5 in single precision, the only one of the public forms."""
    its, rule = CASES[name]
    q, k, v, rates, decays, start = arrays(name)
    every = (torch.from_numpy(each.swapaxes(0, 1)[None]) for each in (q, k, v, rates, np.log(decays)))  # (1, T, H, ...)
    outputs, last = its(*every, torch.from_numpy(start.swapaxes(1, 2)[None]))
    expected = {"w": last[0].numpy().swapaxes(1, 2), "o": outputs[0].numpy().swapaxes(0, 1)}

    tokens = Tokens(*map(jnp.asarray, (k, v, rates, decays, np.zeros_like(rates))))
    for form in (functools.partial(recurrent, rule), functools.partial(chunkwise, rule, size=CHUNK)):
        w, o = jax.jit(jax.vmap(form))(start, tokens, q)
        np.testing.assert_allclose(w, expected["w"], atol=1e-5, rtol=0)
        np.testing.assert_allclose(o, expected["o"], atol=1e-5, rtol=0)
