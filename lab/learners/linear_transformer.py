"""Linear self-attention Transformer (design 2.2; [VO23] eq. 3, [RAG-GD] eq. 5).

Each layer updates every token by e_j <- e_j + sum_h P_h V_h K_h^T q_{h,j}, with K = W_K E, V = W_V E and q = W_Q e_j
over the context's tokens E; rows W_DK d and W_DV d of the documents are appended to K and V. A layer depends on its
weights through products alone (`Effective`), and of the last layer only the query's y-slot is read, so that is all
that it computes.
"""

import dataclasses

import jax
import jax.numpy as jnp
from flax import nnx, struct

from lab.attention.linear import linear_attention
from lab.attention.padding import padded, padded_width
from lab.attention.recursion import is_cheaper, map_of, next_gram
from lab.config.choices import Injection
from lab.layouts.merged import TokenLayout
from lab.learners.learner import Fixed, Layered
from tasks.episode import Prompt


@struct.dataclass
class Effective:
    """A layer as a function: what its weights amount to. H heads, D token width, W document width."""

    score: jax.Array  # A = W_Q^T W_K, (H, D, D)
    write: jax.Array  # B = P W_V, (H, D, D)
    document_score: jax.Array  # W_Q^T W_DK, (H, D, W)
    document_write: jax.Array  # P W_DV, (H, D, W)


@dataclasses.dataclass(frozen=True)
class Shape:
    """All that is static about a Transformer."""

    layout: TokenLayout
    num_layers: int = 1
    num_heads: int = 1
    recurrent: bool = True  # one block, applied num_layers times; else a block a layer
    document_width: int = 0  # W; 0 where episodes have no documents
    injection: Injection = Injection.pooled
    clip: float | None = None  # bound on the entries of every token after each layer

    @property
    def num_blocks(self) -> int:
        return 1 if self.recurrent else self.num_layers


class Block(nnx.Module):
    """The weights of one layer, keys and values as wide as a token."""

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array):
        heads, token, document = shape.num_heads, shape.layout.token_dim, shape.document_width
        drawn = jax.random.normal(key, (heads, token, 4 * token + 2 * document))
        side_by_side = [token, 2 * token, 3 * token, 4 * token, 4 * token + document]
        weights = (nnx.Param(w) for w in jnp.split(jnp.sqrt(init_scale / token) * drawn, side_by_side, axis=-1))
        self.w_k, self.w_q, self.w_v, self.p, self.w_dk, self.w_dv = (
            weights  # (H, D, D), and (H, D, W) for the last two
        )

    def effective(self) -> Effective:
        w_q_HxDxD, p_HxDxD = self.w_q[...], self.p[...]
        return Effective(
            score=w_q_HxDxD.mT @ self.w_k[...],
            write=p_HxDxD @ self.w_v[...],
            document_score=w_q_HxDxD.mT @ self.w_dk[...],
            document_write=p_HxDxD @ self.w_dv[...],
        )


class LinearTransformer(Layered):
    """Trained, constructed and interpolated Transformers are all of this one type.

    Initial weights have variance init_scale / D. `initial_model` is W_0 (Y, F), zero unless it is replaced.
    """

    def __init__(self, shape: Shape, key: jax.Array, init_scale: float | jax.Array = 0.02):
        self.shape = shape
        self.blocks = nnx.List([Block(shape, k, init_scale) for k in jax.random.split(key, shape.num_blocks)])
        self.initial_model = Fixed(jnp.zeros((shape.layout.answer_dim, shape.layout.feature_dim)))

    def readouts(self, prompt: Prompt) -> jax.Array:
        shape, layout = self.shape, self.shape.layout
        documents_KxW = self.rows(prompt)
        tokens_NxD = layout.context_tokens(prompt)
        queries_QxD = layout.query_tokens(prompt, self.initial_model[...])
        recursion = shape.clip is None and is_cheaper(shape.num_layers, *tokens_NxD.shape, shape.num_heads)
        effective = [block.effective() for block in self.blocks]
        if not recursion:
            wide = padded_width(layout.token_dim, shape.num_layers)
            effective = [_padded_layer(layer, wide) for layer in effective]
            tokens_NxD, queries_QxD = padded(tokens_NxD, wide, -1), padded(queries_QxD, wide, -1)
        layers = effective * shape.num_layers if shape.recurrent else effective
        follow = self._by_recursion if recursion else self._by_tokens
        return follow(layers, tokens_NxD, queries_QxD, documents_KxW)

    def _by_tokens(self, layers: list[Effective], tokens_NxD, queries_QxD, documents_KxW) -> jax.Array:
        said = []
        for layer in layers[:-1]:
            changes = (attend(layer, e, tokens_NxD, documents_KxW) for e in (tokens_NxD, queries_QxD))
            tokens_NxD, queries_QxD = (
                self.clipped(e + change) for e, change in zip((tokens_NxD, queries_QxD), changes, strict=True)
            )
            said.append(-queries_QxD[:, self._y_slot])
        written_QxY = attend(layers[-1], queries_QxD, tokens_NxD, documents_KxW, self._y_slot)
        return jnp.stack([*said, -self.clipped(queries_QxD[:, self._y_slot] + written_QxY)])

    def _by_recursion(self, layers: list[Effective], tokens_NxD, queries_QxD, documents_KxW) -> jax.Array:
        gram_DxD, said = tokens_NxD.T @ tokens_NxD, []
        of_documents = None if documents_KxW is None else documents_KxW.T @ documents_KxW
        for layer in layers:
            change_DxD = map_of(layer.score, layer.write, gram_DxD)
            if of_documents is not None:
                change_DxD += map_of(layer.document_score, layer.document_write, of_documents)
            queries_QxD = queries_QxD + queries_QxD @ change_DxD
            said.append(-queries_QxD[:, self._y_slot])
            gram_DxD = next_gram(gram_DxD, change_DxD)  # of the last layer nobody asks
        return jnp.stack(said)

    @property
    def _y_slot(self) -> slice:
        return slice(self.shape.layout.feature_dim, self.shape.layout.token_dim)

    def clipped(self, values: jax.Array) -> jax.Array:
        """Values of tokens as a layer leaves them."""
        return values if self.shape.clip is None else jnp.clip(values, -self.shape.clip, self.shape.clip)

    def rows(self, prompt: Prompt) -> jax.Array | None:
        """The documents that get a row in K and V, (K', W), or None."""
        if not self.shape.document_width:
            return None
        if self.shape.injection is Injection.pooled:
            return jnp.mean(prompt.documents, axis=0, keepdims=True)
        return prompt.documents


def _padded_layer(layer: Effective, width: int) -> Effective:
    return Effective(
        score=padded(layer.score, width, 1, 2),
        write=padded(layer.write, width, 1, 2),
        document_score=padded(layer.document_score, width, 1),
        document_write=padded(layer.document_write, width, 1),
    )


def attend(layer: Effective, receivers_TxD, tokens_SxD, documents_KxW, slots: slice = slice(None)):
    """What a layer adds to the receivers' given slots: tokens and documents are its keys and values."""

    def head(layer: Effective):
        read = linear_attention(receivers_TxD @ layer.score, tokens_SxD, tokens_SxD)
        written = read @ layer.write[slots].T
        if documents_KxW is None:
            return written
        read = linear_attention(receivers_TxD @ layer.document_score, documents_KxW, documents_KxW)
        return written + read @ layer.document_write[slots].T

    return jnp.sum(jax.vmap(head)(layer), axis=0)
