"""A decoder's forward pass as gradient descent [LRGD eqs. 5-14, 24-27].

Every token has a dual model in each layer and group of heads: W = W_0 - beta grad L_ICL(W_0) of `lab.dual`, in ratio
form. W_0 is made of the instruction tokens that the token sees and of the token itself, L_ICL of all other tokens that
it sees, which are those of demonstrations. The heads of a group share W and ask it their own queries. Around it

* rotary positions turn keys and queries, before the kernel: they are a part of phi;
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
from lab.learners.decoder import Block, Decoder, Seen
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
        x_TxD, seen, honest_Q = decoder.tokens(prompt)
        for block in decoder.layers():
            x_TxD = x_TxD + self.attended(block, x_TxD, seen)
            x_TxD = x_TxD + mlp(block, x_TxD)
            readouts.append(decoder.answers(x_TxD, honest_Q))
        return jnp.stack(readouts)

    def attended(self, block: Block, x_TxD: jax.Array, seen: Seen) -> jax.Array:
        """What attention adds to each token (T, D): the answers of the tokens' models to their queries."""
        queries_HxTxA, *of_groups = block.projected(block.attention_norm(x_TxD), seen, self.decoder.positions)
        heads, tokens, width = queries_HxTxA.shape
        if seen.bias is not None:  # it weighs tokens differently in each head
            of_groups = [block.by_head(each, heads) for each in of_groups]
        keys_GxTxA, values_GxTxA = of_groups
        groups = len(keys_GxTxA)
        queries_GxTxRxA = queries_HxTxA.reshape(groups, -1, tokens, width).swapaxes(1, 2)  # R heads of one group
        start_TxT, demonstrations_TxT = self.roles(seen)
        weights_GxTxT = jnp.ones((groups, 1, 1)) if seen.bias is None else jnp.exp(seen.bias)
        of_tokens = jax.vmap(dual.attend, in_axes=(0, None, None, 0, 0))
        answers_GxTxRxA = jax.vmap(of_tokens)(
            queries_GxTxRxA,
            keys_GxTxA,
            values_GxTxA,
            weights_GxTxT * start_TxT[None],
            weights_GxTxT * demonstrations_TxT[None],
        )
        answers_HxTxA = answers_GxTxRxA.swapaxes(1, 2).reshape(heads, tokens, -1)
        return jnp.einsum("hta,hda->td", answers_HxTxA, block.w_o[...])

    def roles(self, seen: Seen) -> tuple[jax.Array, jax.Array]:
        """Of each token's model (T, T): 1 for the tokens that W_0 is made of, and 1 for those of the loss."""
        places_T = jnp.arange(len(seen.mask))
        is_instruction_T = places_T < self.decoder.shape.instructions
        start_TxT = seen.mask & (is_instruction_T[None] | (places_T[:, None] == places_T[None]))
        dtype = self.decoder.w_embed[...].dtype
        return start_TxT.astype(dtype), (seen.mask & ~start_TxT).astype(dtype)


def mlp(block: Block, x_TxD: jax.Array) -> jax.Array:
    """W_2 Sigma (W_1 n + b) + b' (T, D)."""
    z_TxU = block.mlp_norm(x_TxD) @ block.w_in[...].T + block.b_in[...][None]
    return (dual.secant(jax.nn.gelu, z_TxU) * z_TxU) @ block.w_out[...].T + block.b_out[...][None]
