"""The Transformer with linear self-attention of layer-normalised tokens ([VO23] A.9).

Each layer updates every token by e_j <- e_j + sum_h P_h V_h K_h^T q_{h,j}, with K = W_K n(E), V = W_V n(E),
q = W_Q n(e_j) and n(e) = scale (e - mean e) / std e + bias, with mean and standard deviation over the entries of a
token; documents are not normalised.
"""

import jax

from lab.attention.linear_layers import Attend
from lab.learners.decoder_block import norm
from lab.learners.linear_transformer import AttentionStack, Block, LayerArrays, Shape


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
