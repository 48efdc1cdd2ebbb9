"""A decoder's forward pass as gradient descent [LRGD eqs. 5-14, 24-27].

Every token has a dual model in each layer and group of heads, W = W_0 - beta grad L_ICL(W_0) in the ratio form of
`lab.dual`. W_0 is made of the instruction tokens that the token sees and of the token itself. L_ICL is a sum over all
other tokens that it sees, those of demonstrations. The heads of a group share W and evaluate it at their own queries.
The other parts of a decoder enter as follows:

* rotary positions turn keys and queries before the kernel, so they are a part of phi;
* ALiBi's biases b weigh a token by exp(b), differently in each head, so every head has a model of its own;
* the residual is a constant of the model;
* the MLP is W_2 Sigma (W_1 n + b) + b', with Sigma = diag(act(z) / z) at the actual z;
* a layer norm is linear with the scale of its actual input.

The answers are the decoder's, up to rounding: nothing is fitted or approximated.
"""

import jax
import jax.numpy as jnp

from lab import dual
from lab.attention.softmax import Softmax
from lab.learners.decoder import Decoder
from lab.learners.decoder_block import Block, Seen
from lab.learners.learner import Layered
from tasks.episode import Prompt


class Dual(Layered):
    """Answers every query as the decoder does, by explicit gradient steps.

    decoder: a decoder with softmax attention; its weights are shared, not copied.

    Raises:
        ValueError: the decoder has other attention.
    """

    honours_visible = True

    def __init__(self, decoder: Decoder):
        other = {type(block.attention).__name__ for block in decoder.blocks} - {Softmax.__name__}
        if other:
            raise ValueError(f"a dual model is that of softmax attention, and this decoder has {', '.join(other)}")
        self.decoder = decoder

    def readouts(self, prompt: Prompt) -> jax.Array:
        decoder, readouts = self.decoder, []
        x_TxD, visibility, honest_Q = decoder.tokens(prompt)
        for block in decoder.layers():
            x_TxD = x_TxD + self.attended(block, x_TxD, visibility)
            x_TxD = x_TxD + mlp(block, x_TxD)
            readouts.append(decoder.answers(x_TxD, honest_Q))
        return jnp.stack(readouts)

    def attended(self, block: Block, x_TxD: jax.Array, visibility: Seen) -> jax.Array:
        """Return what attention adds to each token (T, D): the answers of the tokens' models to their queries."""
        normalised_TxD, bias_HxTxT = block.attention_norm(x_TxD), visibility.bias
        queries_HxTxA, *group_arrays = block.projected(normalised_TxD, visibility, self.decoder.positions)
        heads, tokens, width = queries_HxTxA.shape
        if bias_HxTxT is not None:  # it weighs tokens differently in each head, so each head is a group of its own
            group_arrays = [block.by_head(each, heads) for each in group_arrays]
        keys_GxTxA, values_GxTxA = group_arrays
        groups = len(keys_GxTxA)
        queries_GxTxRxA = queries_HxTxA.reshape(groups, -1, tokens, width).swapaxes(1, 2)  # R heads of one group
        start_TxT, demonstrations_TxT = self.roles(visibility)
        weights_GxTxT = jnp.ones((groups, 1, 1)) if bias_HxTxT is None else jnp.exp(bias_HxTxT)
        answer_all_tokens = jax.vmap(dual.attend, in_axes=(0, None, None, 0, 0))
        answers_GxTxRxA = jax.vmap(answer_all_tokens)(
            queries_GxTxRxA,
            keys_GxTxA,
            values_GxTxA,
            weights_GxTxT * start_TxT[None],
            weights_GxTxT * demonstrations_TxT[None],
        )
        answers_HxTxA = answers_GxTxRxA.swapaxes(1, 2).reshape(heads, tokens, -1)
        return jnp.einsum("hta,hda->td", answers_HxTxA, block.w_o[...])

    def roles(self, visibility: Seen) -> tuple[jax.Array, jax.Array]:
        """Return the tokens of W_0 and those of the loss, as 0 or 1 in (T, T), with one row per token's model."""
        places_T, mask_TxT = jnp.arange(len(visibility.mask)), visibility.mask
        is_instruction_T = places_T < self.decoder.shape.instructions
        start_TxT = mask_TxT & (is_instruction_T[None] | (places_T[:, None] == places_T[None]))
        dtype = self.decoder.w_embed[...].dtype
        return start_TxT.astype(dtype), (mask_TxT & ~start_TxT).astype(dtype)


def mlp(block: Block, x_TxD: jax.Array) -> jax.Array:
    """Return what the MLP adds to each token, W_2 Sigma (W_1 n + b) + b' (T, D)."""
    z_TxU = block.mlp_norm(x_TxD) @ block.w_in[...].T + block.b_in[...][None]
    return (dual.secant(jax.nn.gelu, z_TxU) * z_TxU) @ block.w_out[...].T + block.b_out[...][None]
