"""The dual model of every token of every layer and head of a language model is its attention [LRGD eqs. 5-11]."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lab import dual
from lab.language.model import LanguageModel
from tests.lab.language.folders import CASES, doubled, golden, loaded

PROMPT = 4  # tokens of the template, which with the token itself make W_0; those between are the demonstrations'


@jax.jit
def both(model: LanguageModel, tokens_T):
    """Attention of each head (L, H, T, A) by its definition from scores and values, and by the dual model."""
    arch = model.arch
    visibility = model.visibility(len(tokens_T))
    layers = model.forward(model.embed(tokens_T, visibility.positions), visibility)
    count = len(tokens_T)
    places = jnp.arange(count)

    def head(q_TxA, k_SxA, v_SxA, scores_TxS, bias_TxS, mask_TxS):
        def token(t, q_A):
            weights_S = jnp.where(mask_TxS[t], jnp.exp(bias_TxS[t]), 0)
            own = (places < PROMPT) | (places == t)
            return dual.attend(q_A[None], k_SxA, v_SxA, weights_S * own, weights_S * ~own)[0]

        attention = jax.nn.softmax(scores_TxS, axis=-1, where=mask_TxS) @ v_SxA
        return attention, jax.vmap(token)(places, q_TxA)

    def layer(q, k, v, scores, local):
        k, v = (jnp.repeat(each, arch.heads // arch.groups, axis=0) for each in (k, v))
        bias = jnp.zeros_like(scores) if visibility.bias is None else visibility.bias
        mask = visibility.mask if visibility.masks is None else jnp.where(local, visibility.masks[1], visibility.mask)
        return jax.vmap(head, in_axes=(0, 0, 0, 0, 0, None))(q, k, v, scores, bias, mask)

    local_L = jnp.asarray(arch.local or (False,) * arch.layers)
    q, k, v, scores = (layers[name] for name in ("queries", "keys", "values", "scores"))
    attention, answers = jax.vmap(layer)(q, k, v, scores, local_L)
    merged = jnp.einsum(
        "lhta,lhad->ltd", attention, model.params["layers"]["o"].reshape(arch.layers, arch.heads, -1, arch.width)
    )
    if "o_bias" in model.params["layers"]:
        merged = merged + model.params["layers"]["o_bias"][:, None]
    return attention, answers, merged, layers["attended"]


@pytest.mark.parametrize(
    ("name", "precision"), [*((name, "float64") for name in CASES), *((name, "float32") for name in CASES[::4])]
)
def test_the_dual_model_is_the_models_attention(name, precision):
    """Relative to the largest output; and the attention that it equals is what the layer adds to its tokens."""
    is_double, tolerance = precision == "float64", {"float32": 1e-5, "float64": 1e-12}[precision]
    with jax.enable_x64(is_double):
        model = doubled(loaded(name)) if is_double else loaded(name)
        attention, answers, merged, attended = both(model, golden(name)["plain_tokens"][0])
    np.testing.assert_allclose(merged, attended, rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        answers, attention, rtol=0, atol=tolerance * (1 if is_double else np.abs(attention).max())
    )
