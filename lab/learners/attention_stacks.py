"""Transformers of other layers than linear self-attention ([VO23] A.9), with keys, values and queries as in
`lab.learners.linear_transformer`.

Softmax self-attention alone updates every token by e_j <- e_j + sum_h P_h V_h softmax(K_h^T q_{h,j}); there is no
scale, bias, layer norm or MLP, and the query is not among the keys. One head can only be a kernel smoother, since its
weights are positive and sum to one. With scores near zero they are about (1 + k^T q) / N, so the difference of two
heads is linear in the scores, and is a step of gradient descent.

Linear self-attention of layer-normalised tokens reads n(e) = scale (e - mean e) / std e + bias in the place of e, with
mean and standard deviation over the entries of a token; documents are not normalised.
"""

import functools

import jax
import jax.numpy as jnp

from lab.attention.linear_layers import Attend, Circuits
from lab.learners.decoder_block import norm
from lab.learners.linear_transformer import AttentionStack, Block, LayerArrays, Shape


def attend_softmax(
    layer: Circuits,
    receivers_TxD: jax.Array,
    tokens_SxD: jax.Array,
    documents_KxW: jax.Array | None,
    slots: slice = slice(None),
) -> jax.Array:
    """Return what a layer adds to the receivers' given slots, (T, slots); tokens and documents share one softmax."""

    def head(layer: Circuits) -> jax.Array:
        scores_TxS = receivers_TxD @ layer.qk @ tokens_SxD.T
        if documents_KxW is None:
            return jax.nn.softmax(scores_TxS, axis=-1) @ tokens_SxD @ layer.ov[slots].T
        scores_TxK = receivers_TxD @ layer.document_qk @ documents_KxW.T
        weights = jax.nn.softmax(jnp.concatenate([scores_TxS, scores_TxK], axis=-1), axis=-1)
        weights_TxS, weights_TxK = jnp.split(weights, [len(tokens_SxD)], axis=-1)
        written = weights_TxS @ tokens_SxD @ layer.ov[slots].T
        return written + weights_TxK @ documents_KxW @ layer.document_ov[slots].T

    return jnp.sum(jax.vmap(head)(layer), axis=0)


class SoftmaxBlock(Block):
    """One layer of softmax attention; the rows of documents, if any, are in the same softmax as the context."""

    def weigh(self, scores_HxTxS: jax.Array) -> jax.Array:
        return jax.nn.softmax(scores_HxTxS, axis=-1)

    def attend(self) -> Attend:
        return functools.partial(attend_softmax, self.circuits())


class SoftmaxTransformer(AttentionStack[SoftmaxBlock]):
    """The stack of such layers; the scores in its trace are those before the softmax."""

    BLOCK = SoftmaxBlock


class NormalisedBlock(Block):
    """One layer: layer norm, then linear attention."""

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array):
        super().__init__(shape, key, init_scale)
        self.norm = norm(shape.layout.token_dim)

    def __call__(self, e_TxD: jax.Array, num_context: int, d_KxW: jax.Array | None) -> LayerArrays:
        return super().__call__(self.norm(e_TxD), num_context, d_KxW)

    def attend(self) -> Attend:
        linear = super().attend()
        return lambda receivers, tokens, *rest: linear(self.norm(receivers), self.norm(tokens), *rest)


class NormalisedTransformer(AttentionStack[NormalisedBlock]):
    """The stack of such layers; only the input of attention is normalised, and the tokens themselves are not."""

    BLOCK = NormalisedBlock
