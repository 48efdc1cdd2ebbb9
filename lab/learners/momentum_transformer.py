"""Linear self-attention plus a moving average of the values, which is momentum attention ([DAI]) without its softmax.

Each layer updates every token by e_j <- e_j + sum_h P_h (V_h K_h^T q_{h,j} + s_{h,j}) with keys, values and queries as
in `lab.learners.linear_transformer` and

    s_{h,j} = sum_{i<j} eta_h^(j-i) v_{h,i},   that is   s_{h,j} = eta_h (s_{h,j-1} + v_{h,j-1}),   s_{h,1} = 0.

eta_h is learned, as the sigmoid of a logit that starts at 0. The average follows the order of the examples: each
example averages the values of those before it, and attends to all of them, as in the linear Transformer. Every query
has the place N + 1, after all N examples. Documents have no place in the order, so their rows enter the attention only.

What the average adds to a query in the first layer does not depend on the query, so it is no part of a linear model W.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.attention.linear_layers import Attend, attend
from lab.learners.linear_transformer import AttentionStack, Block, LayerArrays, Shape
from tasks.episode import Prompt


class MomentumBlock(Block):
    """One layer of linear attention plus the average; all weights but the logits start as those of a linear layer."""

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array):
        super().__init__(shape, key, init_scale)
        self.logit = nnx.Param(jnp.zeros(shape.num_heads))

    @property
    def eta(self) -> jax.Array:
        """Return eta of each head (H,), between 0 and 1."""
        return jax.nn.sigmoid(self.logit[...])

    def __call__(self, e_TxD: jax.Array, num_context: int, d_KxW: jax.Array | None) -> LayerArrays:
        change_TxD, scores_HxTxS, k_HxSxD, v_HxSxD = super().__call__(e_TxD, num_context, d_KxW)
        average_HxTxD = self.weights(num_context, len(e_TxD)) @ v_HxSxD[:, :num_context]
        change_TxD = change_TxD + jnp.einsum("hta,hda->td", average_HxTxD, self.p[...])
        return change_TxD, scores_HxTxS, k_HxSxD, v_HxSxD

    def weights(self, num_context: int, num_tokens: int) -> jax.Array:
        """Return eta^(j-i) for the examples i before token j, and 0 for the others, (H, T, N)."""
        place_T = jnp.minimum(jnp.arange(num_tokens), num_context)
        behind_TxN = place_T[:, None] - jnp.arange(num_context)[None]  # j - i
        exponents_TxN = jnp.maximum(behind_TxN, 1).astype(self.logit[...].dtype)
        powers_HxTxN = jnp.power(self.eta[:, None, None], exponents_TxN[None])
        return jnp.where((behind_TxN > 0)[None], powers_HxTxN, 0.0)


class MomentumTransformer(AttentionStack[MomentumBlock]):
    """The stack of such layers; the scores in its trace are those of the attention, without the average."""

    BLOCK = MomentumBlock

    def etas(self) -> jax.Array:
        """Return eta of each block and head, (blocks, H)."""
        return jnp.stack([block.eta for block in self.blocks])

    def readouts(self, prompt: Prompt) -> jax.Array:
        """Return the answers after each layer, by circuits: what the average adds is a product with P W_V, too."""
        shape, clip = self.shape, self.shape.clip
        e_NxD, e_QxD, d_KxW = self.embed(prompt)
        num_context, e_TxD, readouts = len(e_NxD), jnp.concatenate([e_NxD, e_QxD]), []
        layers = [_layer(block, num_context, len(e_TxD)) for block in self.blocks]
        layers *= shape.num_layers // shape.num_blocks
        for layer in layers[:-1]:
            e_TxD = e_TxD + layer(e_TxD, d_KxW)
            e_TxD = e_TxD if clip is None else jnp.clip(e_TxD, -clip, clip)
            readouts.append(-e_TxD[num_context:, self.y_slot])
        written_QxY = layers[-1](e_TxD, d_KxW, num_context, self.y_slot)
        last_QxY = e_TxD[num_context:, self.y_slot] + written_QxY
        return jnp.stack([*readouts, -(last_QxY if clip is None else jnp.clip(last_QxY, -clip, clip))])


def _layer(block: MomentumBlock, num_context: int, num_tokens: int) -> Attend:
    """Return the layer as a function (tokens (T, D), documents, first, slots).

    It returns what the layer adds to these slots of the tokens from number `first` on.
    """
    circuits, weights_HxTxN = block.circuits(), block.weights(num_context, num_tokens)

    def layer(e_TxD, d_KxW, first: int = 0, slots: slice = slice(None)):
        e_NxD = e_TxD[:num_context]
        average_HxTxD = weights_HxTxN[:, first:] @ e_NxD
        written = jnp.einsum("hta,hda->td", average_HxTxD, circuits.ov[:, slots])
        return attend(circuits, e_TxD[first:], e_NxD, d_KxW, slots) + written

    return layer
