"""A Transformer whose layers are fast weights: online learners in place of attention.

In each layer and head the context's tokens write, in their order, to a state by a rule of `lab.attention.fast_weights`,
with keys W_K e, values W_V e and gates of e. Then every token, of the context and of queries, reads the last W: it gets
e <- e + sum_h P_h W_h W_Q,h e. The answer is minus the query's y-slot, which is 0 before the first layer.

The first layer's states start at `start`, which is trained and zero at first, those of later layers at zero.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.attention.fast_weights.rule import Rule, Tokens, chunkwise, recurrent
from lab.learners.gates import Gates
from lab.learners.initial import normal
from lab.learners.learner import Layered
from lab.learners.linear_transformer import Shape
from tasks.episode import Prompt


class FastWeightBlock(nnx.Module):
    """One layer; keys and values are as wide as a token, and a matrix is (H, D, D). gates: of H heads."""

    def __init__(self, shape: Shape, rule: Rule, gates: Gates, key: jax.Array, init_scale: float | jax.Array):
        size = shape.num_heads, shape.layout.token_dim, shape.layout.token_dim
        self.rule, self.gates = nnx.data(rule), gates
        keys = jax.random.split(key, 4)
        self.w_k, self.w_q, self.w_v, self.p = (
            normal(each, *size, init_scale=init_scale, fan_in=size[-1]) for each in keys
        )

    def tokens(self, e_NxD: jax.Array) -> Tokens:
        """Return what the context's tokens give to each head, along a first axis H."""
        k_HxNxD, v_HxNxD = (jnp.einsum("nd,had->hna", e_NxD, w[...]) for w in (self.w_k, self.w_v))
        return Tokens(k_HxNxD, v_HxNxD, *self.gates(e_NxD))

    def __call__(self, e_TxD: jax.Array, num_context: int, start_HxDxD: jax.Array, chunk: int | None) -> jax.Array:
        """Return what the layer adds to each token, (T, D); the first `num_context` tokens write."""

        def last(w_0_DxD: jax.Array, tokens: Tokens) -> jax.Array:
            if chunk is None:
                return recurrent(self.rule, w_0_DxD, tokens, tokens.keys)[0]
            return chunkwise(self.rule, w_0_DxD, tokens, tokens.keys, chunk)[0]

        w_HxDxD = jax.vmap(last)(start_HxDxD, self.tokens(e_TxD[:num_context]))
        return jnp.einsum("td,hkd,hvk,hov->to", e_TxD, self.w_q[...], w_HxDxD, self.p[...], optimize="optimal")


class FastWeightTransformer(Layered):
    """A stack of such layers, of one rule.

    Args:
        gates: the gates with which every layer starts, of H heads.
        init_scale: initial weights have variance init_scale / D.
        chunk: the number of tokens of a chunk; None for the recurrent form.
    """

    def __init__(
        self,
        shape: Shape,
        rule: Rule,
        gates: Gates,
        key: jax.Array,
        init_scale: float | jax.Array = 0.02,
        chunk: int | None = None,
    ):
        self.shape, self.chunk = shape, chunk
        keys = jax.random.split(key, shape.num_blocks)
        self.blocks = nnx.List()
        for block_key in keys:  # every layer has a copy of the rule's and the gates' numbers
            own_rule, own_gates = jax.tree.map(lambda leaf: leaf, (rule, gates))
            self.blocks.append(FastWeightBlock(shape, own_rule, own_gates, block_key, init_scale))
        token = shape.layout.token_dim
        self.start = nnx.Param(jnp.zeros((shape.num_heads, token, token)))

    def readouts(self, prompt: Prompt) -> jax.Array:
        layout, start_HxDxD = self.shape.layout, self.start[...]
        e_NxD = layout.context_tokens(prompt)
        nothing_YxF = jnp.zeros((layout.answer_dim, layout.feature_dim), e_NxD.dtype)
        e_TxD = jnp.concatenate([e_NxD, layout.query_tokens(prompt, nothing_YxF)])
        answers = []
        for block in list(self.blocks) * (self.shape.num_layers // self.shape.num_blocks):
            e_TxD = e_TxD + block(e_TxD, len(e_NxD), start_HxDxD, self.chunk)
            answers.append(-e_TxD[len(e_NxD) :, layout.feature_dim :])
            start_HxDxD = jnp.zeros_like(start_HxDxD)
        return jnp.stack(answers)
