"""The linear self-attention Transformer ([VO23] section 2, [RAG-GD] eq. 2).

Each layer updates every token by e_j <- e_j + sum_h P_h V_h K_h^T q_{h,j}, with K = W_K E, V = W_V E and q = W_Q e_j
over the context's tokens E; rows W_DK d and W_DV d of the documents are appended to K and V. There is no softmax, no
bias and no layer norm. The answer is minus the query's y-slot after the last layer.

`trace` computes this forward pass as it is written here; `readouts` computes the same function faster, by
`lab.attention.fast_linear`. Stacks of other layers share the forward pass (`AttentionStack`); each has its own `Block`.
"""

import dataclasses
import functools
from typing import Generic, TypeVar

import jax
import jax.numpy as jnp
from flax import nnx

from lab.attention.fast_linear import fast_answers, fast_readouts
from lab.attention.linear_layers import Attend, Circuits, attend, readouts_by_tokens
from lab.config.choices import Injection
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Fixed, Layered, Trace, documents
from tasks.episode import Prompt


@dataclasses.dataclass(frozen=True)
class Shape:
    """The static description of a Transformer: everything but its weights."""

    layout: TokenLayout
    num_layers: int = 1
    num_heads: int = 1
    recurrent: bool = True  # one block, applied num_layers times; else one block per layer
    document_width: int = 0  # W; 0 where prompts have no documents
    injection: Injection = Injection.pooled
    clip: float | None = None  # bound on the entries of every token after each layer

    @property
    def num_blocks(self) -> int:
        """Return how many blocks have weights of their own."""
        return 1 if self.recurrent else self.num_layers


LayerArrays = tuple[jax.Array, jax.Array, jax.Array, jax.Array]  # what `Block.__call__` returns


class Block(nnx.Module):
    """One layer of linear attention.

    Keys and values are as wide as a token, so a matrix is (H, D, D); the matrices of documents, W_DK and W_DV, are
    (H, D, W).
    """

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array):
        heads, token, document = shape.num_heads, shape.layout.token_dim, shape.document_width
        normals = jax.random.normal(key, (heads, token, 4 * token + 2 * document))
        side_by_side = [token, 2 * token, 3 * token, 4 * token, 4 * token + document]
        weights = (nnx.Param(w) for w in jnp.split(jnp.sqrt(init_scale / token) * normals, side_by_side, axis=-1))
        self.w_k, self.w_q, self.w_v, self.p, self.w_dk, self.w_dv = weights

    def __call__(self, e_TxD: jax.Array, num_context: int, d_KxW: jax.Array | None) -> LayerArrays:
        """Return what the layer adds to each token (T, D), its scores (H, T, S), keys and values (H, S, D)."""
        context_NxD = e_TxD[:num_context]
        q_HxTxD = jnp.einsum("td,had->hta", e_TxD, self.w_q[...])
        k_HxSxD = jnp.einsum("sd,had->hsa", context_NxD, self.w_k[...])
        v_HxSxD = jnp.einsum("sd,had->hsa", context_NxD, self.w_v[...])
        if d_KxW is not None:
            k_HxSxD = jnp.concatenate([k_HxSxD, jnp.einsum("kw,haw->hka", d_KxW, self.w_dk[...])], axis=1)
            v_HxSxD = jnp.concatenate([v_HxSxD, jnp.einsum("kw,haw->hka", d_KxW, self.w_dv[...])], axis=1)
        scores_HxTxS = q_HxTxD @ k_HxSxD.mT
        change_TxD = jnp.einsum("hta,hda->td", self.weigh(scores_HxTxS) @ v_HxSxD, self.p[...])
        return change_TxD, scores_HxTxS, k_HxSxD, v_HxSxD

    def weigh(self, scores_HxTxS: jax.Array) -> jax.Array:
        """Return the weights of the values (H, T, S), which here are the scores themselves."""
        return scores_HxTxS

    def attend(self) -> Attend:
        """Return the layer as a function of tokens, computed by its circuits."""
        return functools.partial(attend, self.circuits())

    def circuits(self) -> Circuits:
        """Return the products of weights on which the layer's function depends."""
        w_q_HxDxD, p_HxDxD = self.w_q[...], self.p[...]
        return Circuits(
            qk=w_q_HxDxD.mT @ self.w_k[...],
            ov=p_HxDxD @ self.w_v[...],
            document_qk=w_q_HxDxD.mT @ self.w_dk[...],
            document_ov=p_HxDxD @ self.w_dv[...],
        )


AnyBlock = TypeVar("AnyBlock", bound=Block)


class AttentionStack(Layered, Generic[AnyBlock]):
    """A stack of layers in which all tokens attend to the context's tokens, and get what they read added to them.

    Initial weights have variance init_scale / D. `initial_model` is W_0 (Y, F), zero unless it is replaced.
    """

    BLOCK: type[AnyBlock]  # the class of a layer; a class attribute, which `ClassVar` cannot say of a type variable

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array = 0.02):
        self.shape = shape
        self.blocks = nnx.List([self.BLOCK(shape, k, init_scale) for k in jax.random.split(key, shape.num_blocks)])
        self.initial_model = Fixed(jnp.zeros((shape.layout.answer_dim, shape.layout.feature_dim)))

    def trace(self, prompt: Prompt) -> Trace:
        shape, clip = self.shape, self.shape.clip
        e_NxD, e_QxD, d_KxW = self.embed(prompt)
        num_context, e_TxD, layers = len(e_NxD), jnp.concatenate([e_NxD, e_QxD]), []
        for block in list(self.blocks) * (shape.num_layers // shape.num_blocks):
            change_TxD, scores, keys, values = block(e_TxD, num_context, d_KxW)
            e_TxD = e_TxD + change_TxD
            e_TxD = e_TxD if clip is None else jnp.clip(e_TxD, -clip, clip)
            layers.append(Trace(-e_TxD[num_context:, self.y_slot], scores, e_TxD, keys, values))
        return jax.tree.map(lambda *layers: jnp.stack(layers), *layers)

    def readouts(self, prompt: Prompt) -> jax.Array:
        shape = self.shape
        layers = [block.attend() for block in self.blocks] * (shape.num_layers // shape.num_blocks)
        return readouts_by_tokens(layers, *self.embed(prompt), self.y_slot, shape.clip)

    def embed(self, prompt: Prompt) -> tuple[jax.Array, jax.Array, jax.Array | None]:
        """Return the context's tokens (N, D), the queries' (Q, D), and the rows of documents in K and V (K', W)."""
        tokens_NxD = self.shape.layout.context_tokens(prompt)
        queries_QxD = self.shape.layout.query_tokens(prompt, self.initial_model[...])
        if not self.shape.document_width:
            return tokens_NxD, queries_QxD, None
        if self.shape.injection is Injection.pooled:
            return tokens_NxD, queries_QxD, jnp.mean(documents(prompt), axis=0, keepdims=True)
        return tokens_NxD, queries_QxD, prompt.documents

    @property
    def y_slot(self) -> slice:
        """Return the place of the target in a token."""
        return slice(self.shape.layout.feature_dim, self.shape.layout.token_dim)


class LinearTransformer(AttentionStack[Block]):
    """The type of trained, constructed and interpolated Transformers alike."""

    BLOCK = Block

    def readouts(self, prompt: Prompt) -> jax.Array:
        shape = self.shape
        e_NxD, e_QxD, d_KxW = self.embed(prompt)
        blocks = [block.circuits() for block in self.blocks]
        return fast_readouts(blocks, shape.num_layers, e_NxD, e_QxD, d_KxW, self.y_slot, shape.clip)

    def batch(self, prompts: Prompt) -> jax.Array:
        blocks = [block.circuits() for block in self.blocks]
        e_BxNxD, e_BxQxD, d_BxKxW = jax.vmap(self.embed)(prompts)
        return fast_answers(blocks, self.shape.num_layers, e_BxNxD, e_BxQxD, d_BxKxW, self.y_slot, self.shape.clip)
