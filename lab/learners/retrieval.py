"""Retrieve, then descend: gradient descent that starts from the linear model given by the documents.

`RetrievedDescent` computes it explicitly, and `retrieve_then_descend` is a Transformer with weights set by hand. Where
W_z and M are the same in all episodes (rag_dot's `shared`), the retrieved model W_0(D) = W_z C M^T with
C = sum_i d_i d_i^T is linear attention over the documents: keys M d_i in the x-slot, values -W_z d_i in the y-slot.
One layer of it turns every y_j into y_j - W_0(D) x_j and the query's slot into -W_0(D) x_q; each layer after it is a
step of gradient descent on those residuals.
"""

import jax
import jax.numpy as jnp
from flax import nnx

from lab.config.choices import Injection
from lab.layouts.merged import TokenLayout
from lab.learners.construction import constructed
from lab.learners.descent import descend
from lab.learners.learner import Fixed, Layered, documents
from lab.learners.linear_transformer import LinearTransformer, Shape
from tasks.episode import Prompt
from tasks.rag_dot import retrieved_model


class RetrievedDescent(Layered):
    """Takes `steps` steps of rate eta from W_0(D), which acts on the first input of a token.

    w_z: W_z (Y, W). m: M (X, W).
    """

    def __init__(self, layout: TokenLayout, eta: float | jax.Array, w_z: jax.Array, m: jax.Array, steps: int = 1):
        self.layout = layout
        self.steps = steps
        self.eta = nnx.Param(jnp.asarray(eta))
        self.w_z, self.m = Fixed(w_z), Fixed(m)

    def readouts(self, prompt: Prompt) -> jax.Array:
        retrieved_YxX = retrieved_model(documents(prompt), self.w_z[...], self.m[...])
        rest = self.layout.feature_dim - retrieved_YxX.shape[1]
        return descend(self.layout, jnp.pad(retrieved_YxX, ((0, 0), (0, rest))), prompt, self.eta[...], self.steps)


def retrieve_then_descend(
    shape: Shape, eta: float | jax.Array, num_context: int, w_z: jax.Array, m: jax.Array
) -> LinearTransformer:
    """Return the Transformer that equals `RetrievedDescent` with one step per layer after the first.

    Raises:
        ValueError: the shape is recurrent, has fewer than two layers, or does not give each document a row.
    """
    if shape.recurrent or shape.num_layers < 2 or shape.injection is not Injection.each:
        raise ValueError("retrieve, then descend needs two or more layers, not recurrent, and a row for each document")
    model = constructed(shape, eta, num_context)
    inputs, features, token = m.shape[0], shape.layout.feature_dim, shape.layout.token_dim
    first = model.blocks[0]
    first.w_k[...], first.w_v[...] = jnp.zeros_like(first.w_k[...]), jnp.zeros_like(first.w_v[...])
    first.w_q[...] = first.w_q[...].at[0].set(jnp.diag(jnp.arange(token) < inputs).astype(m.dtype))
    first.p[...] = first.p[...].at[0].set(jnp.eye(token))
    first.w_dk[...] = first.w_dk[...].at[0, :inputs].set(m)
    first.w_dv[...] = first.w_dv[...].at[0, features:].set(-w_z)
    return model
