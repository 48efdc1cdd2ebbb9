"""A decoder whose queries keep the scales of the prompt without examples.

A layer norm is linear for a fixed scale, and an MLP W_2 act(z) for a fixed secant act(z) / z [LRGD, eqs. 12-14]. If
both are fixed, a query's answer is linear in what attention adds to it. Here they are those of the prompt without
examples. LRGD calls the matrix of the activation constant for a given prompt, which is exact; that it does not change
with the examples is the stronger reading that this learner makes.
"""

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab import dual
from lab.learners.decoder import Decoder
from lab.learners.learner import Layered, Trace
from lab.learners.shown import without_examples
from tasks.episode import Prompt


@struct.dataclass
class Scales:
    """The numbers of the queries' tokens in each layer without which their path is linear."""

    attention_LxQ: jax.Array  # standard deviation in the norm before attention
    mlp_LxQ: jax.Array  # in the norm before the MLP
    secants_LxQxU: jax.Array  # act(z) / z of the MLP's units
    answer_LxQ: jax.Array  # standard deviation in the norm before the answer that is read off after this layer


class FrozenScales(Layered):
    """Answers as `decoder` does, with the queries' scales and secants of the prompt without examples.

    The tokens of the examples keep their own. Without examples the answer is the decoder's.
    """

    honours_visible = True

    def __init__(self, decoder: Decoder):
        self.decoder = decoder

    def readouts(self, prompt: Prompt) -> jax.Array:
        return self.trace(prompt).readouts

    def trace(self, prompt: Prompt) -> Trace:
        """Return the read-outs, the tokens after each layer, and what attention adds to them."""
        _, scales = forward(self.decoder, without_examples(prompt))
        return forward(self.decoder, prompt, scales)[0]


def forward(decoder: Decoder, prompt: Prompt, scales: Scales | None = None) -> tuple[Trace, Scales]:
    """Return the forward pass of a decoder, and the scales of its queries.

    Args:
        scales: of the queries; None: those of the prompt itself, with which the pass is the decoder's own.
    """
    x_TxD, visibility, honest_Q = decoder.tokens(prompt)
    queries, each_layer, its_scales = len(honest_Q), [], []
    for layer, block in enumerate(decoder.layers()):
        fixed = None if scales is None else jax.tree.map(lambda leaf, layer=layer: leaf[layer], scales)
        inputs_TxD, attention_Q = _normalised(block.attention_norm, x_TxD, queries, fixed and fixed.attention_LxQ)
        q_HxTxA, k_GxTxA, v_GxTxA = block.projected(inputs_TxD, visibility, decoder.positions)
        k_HxTxA, v_HxTxA = (block.by_head(each, len(q_HxTxA)) for each in (k_GxTxA, v_GxTxA))
        out_HxTxA = jax.vmap(
            lambda attention, q, k, v, bias: attention(q, k, v, visibility.mask, bias),
            in_axes=(0, 0, 0, 0, None if visibility.bias is None else 0),
        )(block.attention, q_HxTxA, k_HxTxA, v_HxTxA, visibility.bias)
        attended_TxD = jnp.einsum("hta,hda->td", out_HxTxA, block.w_o[...])
        x_TxD = x_TxD + attended_TxD
        normalised_TxD, mlp_Q = _normalised(block.mlp_norm, x_TxD, queries, fixed and fixed.mlp_LxQ)
        z_TxU = normalised_TxD @ block.w_in[...].T + block.b_in[...][None]
        secants_TxU = dual.secant(jax.nn.gelu, z_TxU)
        if fixed is not None:
            secants_TxU = secants_TxU.at[-queries:].set(fixed.secants_LxQxU)
        x_TxD = x_TxD + (secants_TxU * z_TxU) @ block.w_out[...].T + block.b_out[...][None]
        normalised_TxD, answer_Q = _normalised(decoder.norm, x_TxD, queries, fixed and fixed.answer_LxQ)
        answers_QxA = normalised_TxD[-queries:] @ decoder.w_answer[...].T
        readout_QxA = jnp.where(honest_Q[:, None], answers_QxA, jnp.nan)
        each_layer.append(Trace(readout_QxA, outputs=x_TxD, attended=attended_TxD))
        its_scales.append(Scales(attention_Q, mlp_Q, secants_TxU[-queries:], answer_Q))
    layers, all_scales = (jax.tree.map(lambda *leaves: jnp.stack(leaves), *each) for each in (each_layer, its_scales))
    return layers, all_scales


def _normalised(
    norm: nnx.LayerNorm, x_TxD: jax.Array, queries: int, scale_Q: jax.Array | None
) -> tuple[jax.Array, jax.Array]:
    """Return the output of a layer norm (T, D), and the standard deviations of the queries (Q,), which are those that
    are given if any are."""
    assert norm.scale is not None  # a decoder's norms have both
    assert norm.bias is not None
    centred_TxD = x_TxD - jnp.mean(x_TxD, axis=-1, keepdims=True)
    scale_T = jnp.sqrt(jnp.mean(centred_TxD**2, axis=-1) + norm.epsilon)
    if scale_Q is not None:
        scale_T = scale_T.at[-queries:].set(scale_Q)
    return centred_TxD / scale_T[:, None] * norm.scale[...][None] + norm.bias[...][None], scale_T[-queries:]
