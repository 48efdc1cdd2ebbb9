"""A Transformer that reads x_1, y_1, x_2, y_2, ... as separate tokens, with positions ([VO23] section 4).

A token shows (x, p, 0) or (0, p, y), with p the one-hot position in the sequence; a query is (x_q, p, 0) at the end.
The first layer, of softmax or linear attention, can merge inputs and answers; after it come layers of linear attention
as in `lab.learners.linear_transformer`:

    e_t <- e_t + sum_h P_h sum_s w_hts W_Vh e_s,   w_ht = W_Kh E W_Qh e_t, or the softmax of it over s

In all layers only the tokens of the context have keys and values, so a query does not attend to itself.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from lab.attention.fast_linear import fast_readouts
from lab.config.choices import AttentionKind
from lab.layouts.interleaved import Interleaved
from lab.layouts.merged import TokenLayout
from lab.learners.decoder_block import ATTENTION
from lab.learners.learner import Layered
from lab.learners.linear_transformer import Block
from lab.learners.linear_transformer import Shape as LinearShape
from tasks.episode import Prompt


@dataclasses.dataclass(frozen=True)
class Shape:
    """The static description of such a Transformer: everything but its weights.

    inputs: the inputs and answer of an example. num_context: N, the number of examples in every prompt. num_layers: the
    number of layers after the first.
    """

    inputs: TokenLayout
    num_context: int
    num_layers: int = 1
    num_heads: int = 1
    recurrent: bool = True  # one block for all layers after the first
    first: AttentionKind = AttentionKind.softmax

    @property
    def num_positions(self) -> int:
        """Return the number of positions: two per example, and one for the query."""
        return 2 * self.num_context + 1

    @property
    def tokens(self) -> TokenLayout:
        """Return the layout of the tokens, whose features are the inputs and the position."""
        return TokenLayout((*self.inputs.fields, ("position", self.num_positions)), self.inputs.answer_dim)

    @property
    def shown(self) -> np.ndarray:
        """Return the indices of a token's slots that show its input or answer, and not its position."""
        features = self.tokens.feature_dim
        return np.array([*range(self.inputs.feature_dim), *range(features, self.tokens.token_dim)])

    @property
    def layers(self) -> LinearShape:
        """Return the shape of the layers after the first."""
        return LinearShape(self.tokens, self.num_layers, self.num_heads, self.recurrent)


class InterleavedTransformer(Layered):
    """The Transformer, with one readout per layer after the first. Initial weights have variance init_scale / D."""

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array = 0.02):
        self.shape = shape
        key_first, key_blocks = jax.random.split(key)
        layers = shape.layers
        self.first = Block(layers, key_first, init_scale)
        keys = jax.random.split(key_blocks, layers.num_blocks)
        self.blocks = nnx.List([Block(layers, each, init_scale) for each in keys])
        self.attention = nnx.data(ATTENTION[shape.first]())

    def readouts(self, prompt: Prompt) -> jax.Array:
        context_SxD, query_QxD = self.merged(*self.tokens(prompt))
        blocks, tokens = [block.circuits() for block in self.blocks], self.shape.tokens
        y_slot = slice(tokens.feature_dim, tokens.token_dim)
        return fast_readouts(blocks, self.shape.num_layers, context_SxD, query_QxD, None, y_slot)

    def tokens(self, prompt: Prompt) -> tuple[jax.Array, jax.Array]:
        """Return the context's tokens (S, D), S = 2 N, and the queries' (Q, D)."""
        sequence = Interleaved(self.shape.inputs).sequence(prompt)
        inputs_TxF, answers_TxY = jnp.split(sequence.vectors, [self.shape.inputs.feature_dim], axis=1)
        position_TxP = jax.nn.one_hot(sequence.positions, self.shape.num_positions, dtype=inputs_TxF.dtype)
        tokens_TxD = jnp.concatenate([inputs_TxF, position_TxP, answers_TxY], axis=1)
        return tokens_TxD[: -sequence.num_queries], tokens_TxD[-sequence.num_queries :]

    def merged(self, context_SxD: jax.Array, query_QxD: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return the tokens after the first layer, (S, D) of the context and (Q, D) of the queries."""
        tokens_TxD = jnp.concatenate([context_SxD, query_QxD])
        circuits = self.first.circuits()

        def head(qk_DxD: jax.Array, ov_DxD: jax.Array) -> jax.Array:
            return self.attention(tokens_TxD @ qk_DxD, context_SxD, context_SxD) @ ov_DxD.T

        merged_TxD = tokens_TxD + jnp.sum(jax.vmap(head)(circuits.qk, circuits.ov), axis=0)
        return merged_TxD[: len(context_SxD)], merged_TxD[len(context_SxD) :]
