"""A layer of softmax attention by its circuits, as `lab.attention.linear_layers.attend` is one of linear attention."""

import jax
import jax.numpy as jnp

from lab.attention.linear_layers import Circuits


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
