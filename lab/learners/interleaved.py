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
from lab.layouts.merged import TokenLayout
from lab.layouts.sequence import Interleaved
from lab.learners import construction
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


SHARPNESS = 60.0  # softmax score of the copied token; a token with score 0 has the weight e^-60, about 1e-26


def constructed(shape: Shape, eta: float | jax.Array) -> InterleavedTransformer:
    """Return the Transformer that copies in its first layer, then takes `shape.num_layers` steps of rate eta from zero.

    [VO23] proposition 3: In the first layer the token of x_i attends to the token of y_i, which comes right after it,
    and copies its y-slot, so that it becomes (x_i, y_i). All other tokens attend to the token of x_1, or with linear
    attention to none, and copy 0. The layers after the first are those of `lab.learners.construction`. They neither
    read nor change the tokens (0, y_i), which show no input.

    Its predictions equal those of `GradientDescent`. The first head of each layer does all the work.
    """
    shapes = jax.eval_shape(lambda: InterleavedTransformer(shape, jax.random.key(0)))
    model = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)
    slots, inputs, features = np.arange(shape.tokens.token_dim), shape.inputs.feature_dim, shape.tokens.feature_dim
    is_input_D, is_answer_D = slots < inputs, slots >= features
    first, positions = model.first, np.s_[0, inputs:features, inputs:features]
    first.w_q[...] = first.w_q[...].at[positions].set(copied(shape))
    first.w_k[...] = first.w_k[...].at[0].set(np.diag(~is_input_D & ~is_answer_D))
    first.w_v[...] = first.w_v[...].at[0].set(np.diag(is_answer_D))
    first.p[...] = first.p[...].at[0].set(np.eye(len(slots)))
    steps = construction.constructed(shape.layers, eta, shape.num_context)
    for block, step in zip(model.blocks, steps.blocks, strict=True):
        block.w_v[...], block.p[...] = step.w_v[...], step.p[...]
        block.w_k[...], block.w_q[...] = (w[...] * is_input_D[None, :, None] for w in (step.w_k, step.w_q))
    return model


def copied(shape: Shape) -> np.ndarray:
    """Return the first layer's scores (P, P) over P positions: entry [s, t] is what position t gives to position s."""
    scores_PxP = np.zeros((shape.num_positions, shape.num_positions))
    input_positions = 2 * np.arange(shape.num_context)
    scores_PxP[input_positions + 1, input_positions] = 1.0
    if shape.first is AttentionKind.linear:
        return scores_PxP
    scores_PxP[0] += scores_PxP.sum(axis=0) == 0  # softmax weights add up to 1, so some token must be attended to
    return SHARPNESS * scores_PxP
