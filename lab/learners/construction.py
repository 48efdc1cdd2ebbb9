"""The Transformer whose forward pass is gradient descent, by hand ([RAG-GD] eq. 8; [VO23] prop. 1; design 2.3).

One layer, one head:  W_K = W_Q = [[I_f, 0], [0, 0]],  W_V = [[0, 0], [W_0, -I_y]],  P = (eta / N) I  turns the y-slot
of every token from y into y - Delta W f, where Delta W is one gradient step on L(W) = 1/(2N) sum_i ||W f_i - y_i||^2
from W_0. The residuals in the y-slots are then those of the stepped model, so the same layer again is the next step.
"""

import jax
import jax.numpy as jnp

from lab.learners.linear_transformer import LinearTransformer, Shape


def constructed(
    shape: Shape, eta: float | jax.Array, num_context: int, initial_model: jax.Array | None = None
) -> LinearTransformer:
    """`shape.num_layers` steps of rate eta from W_0 (Y, F), zero by default, for contexts of num_context examples.

    The first head does all the work, the other heads and the documents have zero weights. Its predictions equal
    `GradientDescent`'s.
    """
    layout = shape.layout
    drawn = jax.eval_shape(lambda: LinearTransformer(shape, jax.random.key(0)))
    model = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), drawn)
    w_0 = model.initial_model[...] if initial_model is None else jnp.asarray(initial_model)
    features, token = layout.feature_dim, layout.token_dim
    select_DxD = jnp.diag(jnp.arange(token) < features).astype(w_0.dtype)
    residual_DxD = (
        jnp.zeros((token, token)).at[features:].set(jnp.concatenate([w_0, -jnp.eye(layout.answer_dim)], axis=1))
    )
    model.initial_model[...] = w_0
    for block in model.blocks:
        block.w_k[...] = block.w_k[...].at[0].set(select_DxD)
        block.w_q[...] = block.w_q[...].at[0].set(select_DxD)
        block.w_v[...] = block.w_v[...].at[0].set(residual_DxD)
        block.p[...] = block.p[...].at[0].set(eta / num_context * jnp.eye(token))
    return model
